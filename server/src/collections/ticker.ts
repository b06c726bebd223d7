// Calls a function at an interval while there is something to do, so that nothing wakes an idle process.

export interface Ticker {
  /** Goes on until a tick returns false. Without effect while it runs. */
  start(): void
  stop(): void
}

export function createTicker(everyMs: number, tick: () => boolean): Ticker {
  let timer: NodeJS.Timeout | null = null
  function stop(): void {
    if (timer !== null) clearInterval(timer)
    timer = null
  }
  return {
    start() {
      timer ??= setInterval(() => tick() || stop(), everyMs).unref()
    },
    stop,
  }
}
