/**
 * The stdio wire, with an end that waits.
 *
 * The SDK's own transport drops what is in flight when stdin ends. Here the end of input is only reported: requests
 * already read are still answered, so a piped session works and a running write is not cut off.
 */
import type { Readable, Writable } from 'node:stream';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  ReadBuffer,
  type RequestId,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/server';

export interface StdioTransportOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Called once when no more input can come, or when the reader of the output is gone. */
  readonly onEnd: () => void;
}

export interface StdioTransport extends Transport {
  /** Resolves when every request read so far is answered. Unbounded. */
  answered(): Promise<void>;
}

export function createStdioTransport(options: StdioTransportOptions): StdioTransport {
  const { input, output, onEnd } = options;
  const buffer = new ReadBuffer();
  const unanswered = new Set<RequestId>();
  const waiting: (() => void)[] = [];
  let closed = false;

  function settle(id: unknown): void {
    if (typeof id === 'string' || typeof id === 'number') unanswered.delete(id);
    if (unanswered.size === 0) for (const resolve of waiting.splice(0)) resolve();
  }

  function receive(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) unanswered.add(message.id);
    // A cancelled request gets no answer.
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      settle(message.params?.['requestId']);
    }
    transport.onmessage?.(message);
  }

  function readAll(): void {
    for (;;) {
      try {
        const message = buffer.readMessage();
        if (message === null) return;
        receive(message);
      } catch (error) {
        // One bad line costs that line, not the session.
        transport.onerror?.(toError(error));
      }
    }
  }

  function onData(chunk: Buffer): void {
    try {
      buffer.append(chunk);
    } catch (error) {
      transport.onerror?.(toError(error));
      onEnd();
      return;
    }
    readAll();
  }

  const transport: StdioTransport = {
    async start() {
      input.on('data', onData);
      input.once('end', onEnd);
      input.once('close', onEnd);
      input.once('error', onEnd);
      output.on('error', onEnd);
    },
    async send(message) {
      if (closed) return;
      await new Promise<void>((resolve) => {
        // A failed write means that the reader is gone; `error` on the stream ends the session.
        output.write(serializeMessage(message), () => resolve());
      });
      if (isJSONRPCResponse(message)) settle(message.id);
    },
    async answered() {
      if (unanswered.size > 0) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    async close() {
      if (closed) return;
      closed = true;
      input.off('data', onData);
      input.pause();
      unanswered.clear();
      settle(undefined);
      transport.onclose?.();
    },
  };
  return transport;
}

function toError(value: unknown): Error {
  return value instanceof Error ? value : new Error(String(value));
}
