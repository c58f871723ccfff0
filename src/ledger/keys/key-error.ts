/** Why a private key cannot be used. Never quotes the key. */
export type KeyErrorCode =
  /** Other accounts of this machine can read the file or its folder. */
  | 'unsafe_permissions'
  /** The file is not a key, or not the one its name says. */
  | 'damaged'
  /** The key has a passphrase and this call works on one without. */
  | 'protected'
  | 'empty_passphrase';

export class KeyError extends Error {
  override readonly name = 'KeyError';
  readonly code: KeyErrorCode;

  constructor(code: KeyErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
