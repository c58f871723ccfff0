/**
 * A trace as PROV-JSON (W3C member submission of 2013-04-24): records are entities, keys the agents they are attributed
 * to. What a record names as cause or ancestor it was derived from; what it revises likewise, as a revision; what it
 * annotates, or follows in its context, has influenced it.
 */
import type { LinkKind } from '../../ledger/links.ts';
import type { Hash } from '../../ledger/types.ts';
import type { DanglingDetail, VisitedRecord } from '../../trail/trace/types.ts';
import type { TraceEdge, TraceView } from '../../trail/trace/view.ts';
import { statusOf, whatOf, whoOf } from '../../trail/trace/words.ts';

type Attributes = Readonly<Record<string, unknown>>;

export function provDocument(view: TraceView): Attributes {
  const { records, absent, edges } = view;
  const shown = [...records.values()];
  const derived = edges.filter(({ kind }) => DERIVES.has(kind));
  const influenced = edges.filter(({ kind }) => !DERIVES.has(kind));
  const attributed = shown.map((record) => ({
    'prov:entity': entityId(record.record_hash),
    'prov:agent': agentId(record.creator_key),
  }));
  return {
    prefix: {
      xsd: 'http://www.w3.org/2001/XMLSchema#',
      record: 'urn:waymark:record:',
      key: 'urn:waymark:key:',
      waymark: 'urn:waymark:trace:',
    },
    entity: Object.fromEntries([
      ...shown.map((record) => [entityId(record.record_hash), entityOf(record)] as const),
      ...[...absent.values()].map((lost) => [entityId(lost.record_hash), absentEntity(lost)] as const),
    ]),
    agent: Object.fromEntries(shown.map((record) => [agentId(record.creator_key), { 'prov:label': whoOf(record) }])),
    wasDerivedFrom: numbered('d', derived.map(derivation)),
    wasInfluencedBy: numbered('i', influenced.map(influence)),
    wasAttributedTo: numbered('a', attributed),
  };
}

const DERIVES: ReadonlySet<LinkKind> = new Set(['informed_by', 'provenance', 'revises']);

function entityOf(record: VisitedRecord): Attributes {
  const status = statusOf(record);
  const time = new Date(record.timestamp);
  return {
    'prov:label': whatOf(record),
    'prov:type': { $: record.event_type, type: 'xsd:anyURI' },
    ...(Number.isNaN(time.getTime())
      ? {}
      : { 'prov:generatedAtTime': { $: time.toISOString(), type: 'xsd:dateTime' } }),
    'waymark:context': record.context_id,
    ...(record.thought === undefined ? {} : { 'waymark:thought': record.thought.thought_id }),
    ...(status === null ? {} : { 'waymark:status': status }),
    ...(record.verification === undefined ? {} : { 'waymark:verification': record.verification.status }),
  };
}

function absentEntity({ reason }: DanglingDetail): Attributes {
  return { 'waymark:absent': reason };
}

function derivation({ from, to, kind }: TraceEdge): Attributes {
  return {
    'prov:generatedEntity': entityId(from),
    'prov:usedEntity': entityId(to),
    'prov:type': kind === 'revises' ? qualified('prov:Revision') : qualified(`waymark:${kind}`),
  };
}

function influence({ from, to, kind }: TraceEdge): Attributes {
  return {
    'prov:influencee': entityId(from),
    'prov:influencer': entityId(to),
    'prov:type': qualified(`waymark:${kind}`),
  };
}

function qualified(name: string): Attributes {
  return { $: name, type: 'prov:QUALIFIED_NAME' };
}

function entityId(hash: Hash): string {
  return `record:${local(hash.replace('sha256:', ''))}`;
}

function agentId(creatorKey: string): string {
  return `key:${local(creatorKey)}`;
}

/** A malformed record may state anything as its key; lone surrogates cannot be encoded. */
function local(name: string): string {
  return encodeURIComponent(name.toWellFormed());
}

function numbered(letter: string, relations: readonly Attributes[]): Attributes {
  return Object.fromEntries(relations.map((relation, at) => [`_:${letter}${at}`, relation]));
}
