// The types of fixed request windows, as stores report them and replicas publish them. store.ts has the contract.

/** A fixed window of requests. */
export interface WindowCount {
  count: number
  /** 0 if no window is open. */
  endsAt: number
}

/** The windows of requests after a decision; `now` and the ends are times of the store's own clock. */
export interface RequestCounts {
  now: number
  project: Readonly<WindowCount>
  /** Not open if the user has no limit. */
  user: Readonly<WindowCount>
}

/** A window of a project's requests, or with `userId` of one user's, that is open at one replica. */
export interface OpenWindow {
  projectId: string
  userId: string | null
  count: number
  /** Whole milliseconds until it ends: the clocks of replicas and store differ. */
  endsInMs: number
}
