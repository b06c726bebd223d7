// Writes lines to stderr in batches, to avoid a system call and a thread switch for each line. Bounded, never blocks,
// and flushed when the process ends.
import pino from 'pino'

export interface LogSink {
  write(line: string): void
  /** Writes the batch now instead of after a short delay. */
  flush?(): void
}

/** If stderr is not read, lines beyond this are dropped. */
const bufferBytes = 16 * 1024 * 1024
const batchBytes = 32 * 1024
/** What the system writes to a pipe in one piece. */
const sharedBatchBytes = 4 * 1024
/** In UTF-8. */
const maxBytesPerCharacter = 3
const waitMs = 50
const lastWriteMs = 100

/** If other processes write to the same place, a batch must be small enough that lines do not mix. */
export function createLogSink(isShared = false): LogSink {
  const maxBatch = isShared ? sharedBatchBytes : batchBytes
  // Bytes, since a string that grows line by line stays a tree of its pieces: joining it after thousands of other
  // allocations would fetch each piece from memory again.
  const batch = Buffer.allocUnsafeSlow(isShared ? maxBatch : 2 * maxBatch)
  let size = 0
  let timer: NodeJS.Timeout | null = null
  let isWriting = false
  let isClosed = false

  function flush() {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (size === 0) return
    // A copy, since the write takes its time. As text it would be copied by each collection of young objects.
    const lines = Buffer.from(batch.subarray(0, size))
    size = 0
    writeOut(lines)
  }

  function writeOut(lines: Buffer) {
    if (isClosed) return
    isWriting = true
    stderr.write(lines as unknown as string)
  }

  // Registered before the destination's own listener, which closes it.
  process.on('beforeExit', flush)
  process.on('exit', () => {
    // A write that a thread has begun ends with the process unless it gets this time.
    if (isWriting) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lastWriteMs)
    flush()
    if (!isClosed) stderr.flushSync()
  })
  const stderr = pino.destination({
    dest: 2,
    sync: false,
    contentMode: 'buffer',
    maxLength: bufferBytes,
    ...(isShared ? { maxWrite: maxBatch } : {}),
  })
  stderr.on('drain', () => {
    isWriting = false
  })
  stderr.on('close', () => {
    isClosed = true
  })
  return {
    write(line) {
      const maxBytes = line.length * maxBytesPerCharacter
      if (maxBytes > batch.length - size) flush()
      if (maxBytes > batch.length) writeOut(Buffer.from(line))
      else size += batch.write(line, size)
      if (size >= maxBatch) flush()
      else timer ??= setTimeout(flush, waitMs).unref()
    },
    flush,
  }
}
