// Does work that yields where others may run in one go.

export function finish<Value>(work: Iterator<unknown, Value>): Value {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}
