// Starts the thread that uses the file of the embedded database, so that neither a statement nor a sync of the disk
// holds the event loop of the requests. Commands of one turn of the loop leave in one message, such as the statements
// of a batch.
import { once } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { uncarryError } from '../carried/carried-error.ts'
import type { CarriedResult } from '../carried/carried-result.ts'
import {
  type Command,
  hasLongText,
  joinMessages,
  readMessage,
  type ThreadData,
  type ThreadMessage,
  type ThreadReply,
} from './thread-messages.ts'

/** Compiled code that this process finds in a cache, the thread does too. */
function cacheSettings(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder }
}

interface Waiting {
  resolve(result: CarriedResult): void
  reject(error: Error): void
}

export class DatabaseThread {
  readonly #worker: Worker
  /** Replies come in the order of the commands. */
  readonly #waiting: Waiting[] = []
  /** Commands of this turn. */
  #unsent: ThreadMessage<Command>[] = []
  #isClosing = false

  private constructor(data: ThreadData) {
    // The npm package has JavaScript in place of TypeScript.
    this.#worker = new Worker(join(import.meta.dirname, `thread-main${extname(import.meta.filename)}`), {
      name: 'database',
      workerData: data,
      // It needs no settings; and that of `node --watch` would make the runtime post messages of its own.
      env: cacheSettings(),
      // Most of what it allocates is dead once it has replied.
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    })
    this.#worker.unref()
    this.#worker.on('message', (message: ThreadMessage<ThreadReply>) => {
      for (const reply of readMessage(message)) this.#settle(reply)
    })
    // As in the main thread, what nothing has caught ends the process.
    this.#worker.on('error', error => {
      throw error
    })
    this.#worker.on('exit', () => {
      if (!this.#isClosing) throw new Error('the thread of the database has ended')
    })
  }

  /** Rejects with SQLite's error if the file cannot be opened or, when it is checked, is damaged. */
  static async open(data: ThreadData): Promise<DatabaseThread> {
    const thread = new DatabaseThread(data)
    try {
      await thread.#reply()
    } catch (error) {
      thread.#isClosing = true
      await thread.#worker.terminate()
      throw error
    }
    return thread
  }

  call(command: Command): Promise<CarriedResult> {
    const isLong = command[0] === 'run' && hasLongText(command[2])
    // Not by a microtask: a transaction awaits its beginning before it sends its statements.
    if (this.#unsent.length === 0) process.nextTick(() => this.#send())
    this.#unsent.push(isLong ? [command] : JSON.stringify(command))
    return this.#reply()
  }

  #send(): void {
    const texts = this.#unsent
    this.#unsent = []
    for (const message of joinMessages(texts)) this.#worker.postMessage(message)
  }

  async close(): Promise<void> {
    this.#isClosing = true
    const exited = once(this.#worker, 'exit')
    await this.call(['close'])
    this.#worker.ref()
    await exited
  }

  /** The process does not end while it waits for a reply. */
  #reply(): Promise<CarriedResult> {
    if (this.#waiting.length === 0) this.#worker.ref()
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  #settle(reply: ThreadReply): void {
    const waiting = this.#waiting.shift()
    if (this.#waiting.length === 0) this.#worker.unref()
    if ('failure' in reply) waiting?.reject(uncarryError(reply.failure))
    else waiting?.resolve(reply.done)
  }
}
