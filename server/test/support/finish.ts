// Runs a generator that yields between steps to its end, without pausing.

export function finish<Value>(work: Iterator<unknown, Value>): Value {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}
