// The event transport in this process: a queue with acknowledgement. It has no other reader, so acknowledged events are
// deleted. Twin of scripts/emit-event.lua and claim-events.lua.

import { assertCounts } from '../admission-arithmetic.ts'
import { type EventStream, malformedEvents, type StreamEvent, trimmedEvents } from '../event-stream.ts'
import type { WindowTable } from '../window-table.ts'

const quotaWindowMs = 60_000

export function createProcessEvents(windows: WindowTable, clock: () => number, streamLength: number): EventStream {
  const unread = new Set<StreamEvent>()
  const pending = new Map<string, { event: StreamEvent; takenAt: number }>()
  const drops = new Map<string, number>()
  let emitted = 0
  const drop = (name: string) => drops.set(name, (drops.get(name) ?? 0) + 1)
  const emit = (tenantId: string, fields: Record<string, string>, quotaPerMinute: number): 'stored' | 'dropped' => {
    const now = clock()
    const quota = `event-quota:${tenantId}`
    const { count, endsAt } = windows.read(quota, now)
    if (count >= quotaPerMinute) {
      drop(tenantId)
      return 'dropped'
    }
    windows.write(quota, count + 1, endsAt || now + quotaWindowMs, now)
    emitted += 1
    unread.add({ id: `${now}-${emitted}`, fields: { ...fields } })
    for (const oldest of unread) {
      if (unread.size + pending.size <= streamLength) break
      unread.delete(oldest)
      drop(trimmedEvents)
    }
    return 'stored'
  }
  const claim = (wanted: number, idleMs: number): StreamEvent[] => {
    const now = clock()
    const taken: StreamEvent[] = []
    for (const held of pending.values()) {
      if (taken.length >= wanted) break
      if (now - held.takenAt < idleMs) continue
      held.takenAt = now
      taken.push(held.event)
    }
    for (const event of unread) {
      if (taken.length >= wanted) break
      unread.delete(event)
      pending.set(event.id, { event, takenAt: now })
      taken.push(event)
    }
    return taken
  }
  return {
    emitEvent: async (tenantId, fields, quotaPerMinute) => {
      assertCounts(quotaPerMinute)
      return emit(tenantId, fields, quotaPerMinute)
    },
    claimEvents: async (_consumer, count, idleMs) => {
      assertCounts(count, idleMs)
      return claim(count, idleMs)
    },
    acknowledgeEvents: async ids => {
      for (const id of ids) pending.delete(id)
    },
    discardEvents: async ids => {
      for (const id of ids) if (pending.delete(id)) drop(malformedEvents)
    },
    countDrops: async () => Object.fromEntries(drops),
  }
}
