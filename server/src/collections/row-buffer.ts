// Buffers rows and writes them in batches; the first row after a pause is written at once. A killed process loses at
// most the rows of the last tenth of a second.

export interface RowWriter<Row> {
  /** Returns the rows that must be written again. Never throws. */
  write(batch: readonly Row[]): Promise<readonly Row[]>
  /** The pause before the next batch while rows cannot be written; else null. */
  pauseMs(): number | null
}

interface RowBuffer<Row> {
  /** Null: nobody has to wait for a row. */
  add(row: Row): null
  /** Resolves once the rows added so far are written, or cannot be written just now. */
  flush(): Promise<void>
  /** Writes the waiting rows, as long as it can. Returns how many are lost. */
  stop(): Promise<number>
}

interface RowBufferOptions<Row> {
  writer: RowWriter<Row>
  /** While rows cannot be written. Further ones are dropped. */
  maxWaiting: number
  onDrop(): void
}

const batchMs = 100
/** Larger batches cost less for each row, but preparing one holds the event loop: this many take 2 ms. */
const batchRows = 512
const triesAtTheEnd = 3

export function createRowBuffer<Row>({ writer, maxWaiting, onDrop }: RowBufferOptions<Row>): RowBuffer<Row> {
  let waiting: Row[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | null = null
  let writtenAt = Number.NEGATIVE_INFINITY

  function pauseMs(): number {
    const isFull = waiting.length >= batchRows
    return writer.pauseMs() ?? (isFull ? 0 : Math.max(0, writtenAt + batchMs - performance.now()))
  }

  function schedule(): void {
    if (timer === undefined && writing === null && waiting.length > 0) timer = setTimeout(writeOnce, pauseMs())
  }

  /** One batch at a time. */
  function writeOnce(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing ??= writeBatch().finally(() => {
      writing = null
      writtenAt = performance.now()
      schedule()
    })
    return writing
  }

  async function writeBatch(): Promise<void> {
    const batch = waiting.slice(0, batchRows)
    const left = await writer.write(batch)
    waiting = [...left, ...waiting.slice(batch.length)]
  }

  return {
    add(row) {
      if (waiting.length < maxWaiting) waiting.push(row)
      else onDrop()
      schedule()
      return null
    },
    async flush() {
      await writing
      for (let left = waiting.length; left > 0 && waiting.length > 0; left -= batchRows) {
        await writeOnce()
        if (writer.pauseMs() !== null) return
      }
    },
    async stop() {
      await writing
      for (let tries = 0; waiting.length > 0 && tries < triesAtTheEnd; ) {
        await writeOnce()
        if (writer.pauseMs() !== null) tries++
      }
      clearTimeout(timer)
      return waiting.length
    },
  }
}
