// Wraps a store and reports to the metrics how long each operation took, and the outcome of some. Does not change
// results or their order.
import type { Metrics } from '../domain/metrics.ts'
import type { Budgets } from './budgets.ts'
import type { KillSwitches, MaybePromise, Store } from './store.ts'
import type { UsageShelf } from './usage-shelf.ts'

/** Does not spread `kv`, so that an operation that is missing here does not compile. */
export function measureStore(kv: Store, metrics: Metrics): Store {
  const timed = createTimed(metrics)
  return {
    kind: kv.kind,
    shelf: kv.shelf && measureShelf(kv.shelf, timed),
    ping: kv.ping,
    close: kv.close,
    subscribe: kv.subscribe,
    ...measureProjection(kv, timed, metrics),
    admit: timed('admit', kv.admit, {
      onAnswer: admission => metrics.admitted(admission.admitted ? 'admitted' : admission.reason),
      onFailure: () => metrics.admitted('unavailable'),
    }),
    settle: timed('settle', kv.settle),
    withdraw: timed('withdraw', kv.withdraw),
    addRequests: timed('addRequests', kv.addRequests),
    checkpoint: timed('checkpoint', kv.checkpoint),
    sweepReservations: timed('sweepReservations', kv.sweepReservations),
    restoreSpend: timed('restoreSpend', kv.restoreSpend),
    findSpend: timed('findSpend', kv.findSpend),
    ...measureBudgets(kv, timed),
    take: timed('take', kv.take),
    giveBack: timed('giveBack', kv.giveBack),
    appendTurn: timed('appendTurn', kv.appendTurn),
    recallTurns: timed('recallTurns', kv.recallTurns),
    forgetConversations: timed('forgetConversations', kv.forgetConversations),
    keepAnswer: timed('keepAnswer', kv.keepAnswer),
    findAnswer: timed('findAnswer', kv.findAnswer),
    forgetAnswers: timed('forgetAnswers', kv.forgetAnswers),
    emitEvent: timed('emitEvent', kv.emitEvent),
    claimEvents: timed('claimEvents', kv.claimEvents),
    acknowledgeEvents: timed('acknowledgeEvents', kv.acknowledgeEvents),
    discardEvents: timed('discardEvents', kv.discardEvents),
    countDrops: timed('countDrops', kv.countDrops),
    addDiagnostics: timed('addDiagnostics', kv.addDiagnostics),
    findDiagnostics: timed('findDiagnostics', kv.findDiagnostics),
    addActivity: timed('addActivity', kv.addActivity),
    findActivity: timed('findActivity', kv.findActivity),
    announceReplica: timed('announceReplica', kv.announceReplica),
    publishRequests: timed('publishRequests', kv.publishRequests),
  }
}

interface Watching<Answer> {
  onAnswer?(answer: Answer): void
  onFailure?(): void
}

type Timed = <Args extends unknown[], Answered extends MaybePromise<unknown>>(
  intention: string,
  call: (...args: Args) => Answered,
  watching?: Watching<Awaited<Answered>>,
) => (...args: Args) => Answered

function createTimed(metrics: Metrics): Timed {
  return (intention, call, { onAnswer, onFailure } = {}) =>
    (...args) => {
      const startedAt = performance.now()
      const result = call(...args)
      const note = (answer: Awaited<typeof result>): void => {
        metrics.storeCalled(intention, performance.now() - startedAt, false)
        onAnswer?.(answer)
      }
      if (result instanceof Promise) {
        // In parallel to the caller, which gets the same promise.
        result.then(note, () => {
          metrics.storeCalled(intention, performance.now() - startedAt, true)
          onFailure?.()
        })
      } else note(result as Awaited<typeof result>)
      return result
    }
}

/** Also reports which revisions this replica uses: those of the documents that it reads, and of switches it writes. */
function measureProjection(kv: Store, timed: Timed, metrics: Metrics) {
  const noteSwitches = ({ global, tenants, projects }: KillSwitches, revision: number): void =>
    metrics.killSwitchesSeen(revision, { global: global ? 1 : 0, tenant: tenants.length, project: projects.length })
  const findConfig = timed('findConfig', kv.findConfig, {
    onAnswer: found => found === null || metrics.configSeen(found.revision),
  })
  const findKillSwitches = timed('findKillSwitches', kv.findKillSwitches, {
    onAnswer: found => found === null || noteSwitches(found, found.revision),
  })
  const putKillSwitches = timed('putKillSwitches', kv.putKillSwitches)
  return {
    findConfig,
    findKillSwitches,
    async putKillSwitches(switches: KillSwitches, revision: number) {
      const outcome = await putKillSwitches(switches, revision)
      // Another replica may have written a newer revision.
      if (outcome !== 'older') noteSwitches(switches, revision)
      return outcome
    },
    putConfig: timed('putConfig', kv.putConfig),
    putConfigs: timed('putConfigs', kv.putConfigs),
    putSlugs: timed('putSlugs', kv.putSlugs),
    findSlug: timed('findSlug', kv.findSlug),
    putProviderKeys: timed('putProviderKeys', kv.putProviderKeys),
    findProviderKeys: timed('findProviderKeys', kv.findProviderKeys),
    putKeySet: timed('putKeySet', kv.putKeySet),
    findKeySet: timed('findKeySet', kv.findKeySet),
    forgetProject: timed('forgetProject', kv.forgetProject),
    forgetTenant: timed('forgetTenant', kv.forgetTenant),
    putRestrictions: timed('putRestrictions', kv.putRestrictions),
    findRestrictions: timed('findRestrictions', kv.findRestrictions),
    startFilling: timed('startFilling', kv.startFilling),
    markSeeded: timed('markSeeded', kv.markSeeded),
    isSeeded: timed('isSeeded', kv.isSeeded),
  }
}

function measureBudgets(kv: Store, timed: Timed): Budgets {
  return {
    reserveBudgets: timed('reserveBudgets', kv.reserveBudgets),
    settleBudgets: timed('settleBudgets', kv.settleBudgets),
    checkpointBudgets: timed('checkpointBudgets', kv.checkpointBudgets),
    sweepBudgets: timed('sweepBudgets', kv.sweepBudgets),
    findBudgetSpend: timed('findBudgetSpend', kv.findBudgetSpend),
    raiseBudgetSpend: timed('raiseBudgetSpend', kv.raiseBudgetSpend),
  }
}

function measureShelf(shelf: UsageShelf, timed: Timed): UsageShelf {
  return {
    shelveUsage: timed('shelveUsage', shelf.shelveUsage),
    findShelvedUsage: timed('findShelvedUsage', shelf.findShelvedUsage),
    forgetShelvedUsage: timed('forgetShelvedUsage', shelf.forgetShelvedUsage),
  }
}
