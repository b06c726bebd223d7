// Combines concurrent calls of one script into one call, which carries what is the same for all of them only once. Each
// caller gets its own reply or failure.

import { StoreUnavailable } from '../store.ts'
import type { RedisConnection } from './client/connection.ts'
import { listOf } from './client/replies.ts'
import { RedisError, type RedisReply } from './client/wire.ts'
import type { Script } from './scripts.ts'

/** The keys and arguments of one call; they follow those that are the same for all. */
export type GroupedCall = (keys: readonly string[], args: ReadonlyArray<string | number>) => Promise<RedisReply>

interface Waiting {
  resolve(reply: RedisReply): void
  reject(error: unknown): void
}

/**
 * Smaller batches are sent at the end of the event-loop turn. Larger ones would keep Redis idle while they are
 * gathered, and then block it for all others.
 */
const maxBatch = 16
/** Beyond this many unanswered calls, further ones fail at once: they would only hold memory. */
const maxUnanswered = 20_000

export function groupCalls(
  connection: RedisConnection,
  script: Script,
  keysOfAll: readonly string[],
  argsOfAll: () => ReadonlyArray<string | number>,
): GroupedCall {
  let keys = [...keysOfAll]
  let args: Array<string | number> = []
  let members: Waiting[] = []
  let unanswered = 0

  function ask(): void {
    if (members.length === 0) return
    const [askedKeys, askedArgs, asking] = [keys, args, members]
    keys = [...keysOfAll]
    args = []
    members = []
    void askFor(asking, askedKeys, askedArgs)
  }

  async function askFor(
    asking: readonly Waiting[],
    askedKeys: string[],
    askedArgs: Array<string | number>,
  ): Promise<void> {
    try {
      const replies = listOf(await connection.run(script, askedKeys, askedArgs))
      asking.forEach(({ resolve, reject }, at) => {
        const own = replies[at]
        if (own instanceof RedisError) reject(connection.refuse(own))
        else resolve(own)
      })
    } catch (error) {
      for (const { reject } of asking) reject(error)
    } finally {
      unanswered -= asking.length
    }
  }

  return (itsKeys, itsArgs) => {
    if (unanswered >= maxUnanswered) return Promise.reject(new StoreUnavailable('no_answer'))
    unanswered += 1
    return new Promise((resolve, reject) => {
      if (members.length === 0) args.push(...argsOfAll())
      for (const key of itsKeys) keys.push(key)
      for (const arg of itsArgs) args.push(arg)
      members.push({ resolve, reject })
      if (members.length === 1) connection.beforeFlush(ask)
      else if (members.length >= maxBatch) connection.flush()
    })
  }
}
