// Fixed windows in this process. Twin of scripts/take-windows.lua and give-back-windows.lua: same order, same names.

import { assertCounts, secondsUntil } from '../admission-arithmetic.ts'
import type { WindowDemand, WindowOutcome, WindowReceipt, Windows } from '../store.ts'
import type { WindowTable } from '../window-table.ts'

export function createProcessWindows(windows: WindowTable, clock: () => number): Windows {
  const take = (demands: readonly WindowDemand[]): WindowOutcome => {
    assertCounts(...demands.flatMap(demand => [demand.limit, demand.windowSeconds]))
    const now = clock()
    const taken = demands.map(demand => {
      const { count, endsAt } = windows.read(keyOf(demand.name), now)
      return { ...demand, count, endsAt: endsAt || now + demand.windowSeconds * 1000 }
    })
    let refused: (typeof taken)[number] | null = null
    for (const window of taken) {
      if (window.count >= window.limit && window.endsAt > (refused?.endsAt ?? 0)) refused = window
    }
    if (refused) {
      return { admitted: false, name: refused.name, retryAfterSeconds: secondsUntil(refused.endsAt, now) }
    }
    for (const { name, count, endsAt } of taken) windows.write(keyOf(name), count + 1, endsAt, now)
    return { admitted: true, receipt: taken.map(({ name, endsAt, count }) => ({ name, endsAt, count: count + 1 })) }
  }
  const giveBack = (receipt: WindowReceipt): void => {
    const now = clock()
    for (const { name, endsAt } of receipt) windows.giveBack(keyOf(name), endsAt, now)
  }
  return {
    take: async demands => take(demands),
    giveBack: async receipt => giveBack(receipt),
  }
}

function keyOf(name: string): string {
  return `window:${name}`
}
