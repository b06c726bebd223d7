// A part of the store's contract: rows of usage that wait for the database.

export interface ShelvedUsage {
  requestId: string
  /** JSON; only the writer and the reader know its shape. */
  row: string
}

export interface UsageShelf {
  /** Keeps rows until they are forgotten, each once by its request id; returns how many did not fit. */
  shelveUsage(rows: readonly ShelvedUsage[]): Promise<number>
  /** Returns some of the rows, in no order, and keeps them: forget them once they are written. */
  findShelvedUsage(count: number): Promise<ShelvedUsage[]>
  forgetShelvedUsage(requestIds: readonly string[]): Promise<void>
}
