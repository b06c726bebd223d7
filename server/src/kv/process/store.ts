// The key-value store in process memory, for a single replica: assembles its parts and removes expired data. Holds at
// The key-value store in process memory, for a single replica: assembles its parts and removes expired data. Holds at
// most 100,000 windows, three days of spend (an entry for each user of a day), what budgets count in their periods,
// 64 MiB of conversations, `answerBytes` of cached answers, the diagnostics of 10,000 projects, and `streamLength`
// events.
import type { Log } from '../../domain/log.ts'
import { defaultAnswerBytes } from '../cached-answers.ts'
import type { Store } from '../store.ts'
import { createSubscribers } from '../subscribers.ts'
import { createWindowTable } from '../window-table.ts'
import { createProcessActivity } from './activity.ts'
import { createProcessAdmissions } from './admissions.ts'
import { createProcessBudgets } from './budgets.ts'
import { createProcessCachedAnswers } from './cached-answers.ts'
import { createProcessConversations } from './conversations.ts'
import { createProcessDiagnostics } from './diagnostics.ts'
import { createProcessEvents } from './events.ts'
import { createProcessProjection } from './projection.ts'
import { createProcessReplicas } from './replicas.ts'
import { createSpendTable } from './spend-table.ts'
import { createProcessWindows } from './windows.ts'

const sweepEveryMs = 60_000

export interface ProcessStoreOptions {
  now: () => number
  log: Log
  streamLength?: number
  /** The maximum of all cached answers. */
  answerBytes?: number
}

export function createProcessStore(options: ProcessStoreOptions): Store {
  const { now, log, streamLength = 100_000, answerBytes = defaultAnswerBytes } = options
  const windows = createWindowTable()
  const spend = createSpendTable()
  const conversations = createProcessConversations(now)
  const answers = createProcessCachedAnswers(now, answerBytes)
  const diagnostics = createProcessDiagnostics(now)
  const budgets = createProcessBudgets(now)
  const subscribers = createSubscribers(log)
  const projection = createProcessProjection(subscribers.notify, now)
  const sweeper = setInterval(() => {
    for (const part of [windows, spend, conversations, answers, diagnostics, budgets]) part.sweep(now())
  }, sweepEveryMs)
  sweeper.unref()
  return {
    kind: 'process',
    shelf: null,
    ping: () => Promise.resolve(),
    close: async () => clearInterval(sweeper),
    subscribe: subscribers.subscribe,
    ...projection.intentions,
    forgetProject: async project => {
      spend.forget(project.projectId)
      await projection.intentions.forgetProject(project)
    },
    ...budgets.intentions,
    forgetTenant: async tenantId => {
      budgets.forget(tenantId)
      await projection.intentions.forgetTenant(tenantId)
    },
    ...createProcessAdmissions({ findRejection: projection.findRejection, windows, spend, clock: now }),
    ...createProcessWindows(windows, now),
    ...conversations.intentions,
    ...answers.intentions,
    ...diagnostics.intentions,
    ...createProcessActivity(now),
    ...createProcessEvents(windows, now, streamLength),
    ...createProcessReplicas({ clock: now, notify: subscribers.notify, filledAt: projection.filledAt }),
  }
}
