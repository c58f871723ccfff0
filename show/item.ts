/** What an item of an issue answers when it is run. */
export interface Shown {
  readonly ok: boolean;
  /** On one line. */
  readonly figures: string;
}

export interface Item {
  readonly title: string;
  readonly show: () => Promise<Shown>;
}
