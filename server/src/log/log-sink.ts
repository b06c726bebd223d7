// Writes lines to stderr in batches, so that a busy process does not pay one system call and one thread switch for each.
// Bounded, never blocking, emptied when the process ends; knows nothing of what a line says.
import pino from 'pino'

export interface LogSink {
  write(line: string): void
  /** Now instead of within a moment. */
  flush?(): void
}

/** What nobody reads beyond this is dropped. */
const bufferBytes = 16 * 1024 * 1024
const batchBytes = 32 * 1024
/** In UTF-8. */
const maxBytesPerCharacter = 3
const waitMs = 50
const lastWriteMs = 100

export function createLogSink(): LogSink {
  // Bytes, since a text that grows line by line remains a tree of its pieces: put together at last, after thousands of other
  // allocations, each of them would have to be fetched from memory again.
  const batch = Buffer.allocUnsafeSlow(2 * batchBytes)
  let size = 0
  let timer: NodeJS.Timeout | null = null
  let isWriting = false
  let isClosed = false

  function flush() {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const lines = batch.toString('utf8', 0, size)
    size = 0
    if (lines !== '') writeOut(lines)
  }

  function writeOut(lines: string) {
    if (isClosed) return
    isWriting = true
    stderr.write(lines)
  }

  // Heard before the destination hears it, which then closes.
  process.on('beforeExit', flush)
  process.on('exit', () => {
    // What a thread has begun to write ends with the process unless it gets the time.
    if (isWriting) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lastWriteMs)
    flush()
    if (!isClosed) stderr.flushSync()
  })
  const stderr = pino.destination({ dest: 2, sync: false, maxLength: bufferBytes })
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
      if (maxBytes > batch.length) writeOut(line)
      else size += batch.write(line, size)
      if (size >= batchBytes) flush()
      else timer ??= setTimeout(flush, waitMs).unref()
    },
    flush,
  }
}
