// Implements `domain/metrics.ts`: which series each of its methods records.

import type { Metrics } from '../domain/metrics.ts'
import type { PlaneRequest, PlaneResponse } from '../http/exchange.ts'
import type { EndedRequest } from '../http/front/accept-request.ts'
import { findRefusal } from '../http/reply.ts'
import { ProviderWatch } from './call-watch.ts'
import { createInstruments, type Instruments } from './instruments.ts'
import type { Registry } from './registry.ts'
import { classOfRoute, isInferenceRoute } from './route-class.ts'
import type { Tracer } from './tracer.ts'

export interface Recorder extends Metrics {
  requestEnded(request: PlaneRequest, response: PlaneResponse, ended: EndedRequest): void
}

interface MetricsDependencies {
  registry: Registry
  /** Null without traces. */
  tracer: Tracer | null
}

export function createMetrics({ registry, tracer }: MetricsDependencies): Recorder {
  const instruments = createInstruments(registry)
  const watched = { instruments, tracer }
  return {
    ...recordRequests(instruments, tracer),
    ...recordStores(instruments, createRevisions(registry)),
    ...recordJobs(instruments, registry),
    guardrailChecked({ guardrail, direction }, verdict, ms) {
      instruments.verdicts.add(1, guardrail, direction, verdict)
      instruments.guardrailDuration.observe(ms / 1_000, guardrail, direction)
    },
    verdictReused: guardrail => instruments.reusedVerdicts.add(1, guardrail),
    recogniserCalled(outcome, ms) {
      instruments.recogniserCalls.add(1, outcome)
      instruments.recogniserDuration.observe(ms / 1_000)
    },
    anonymousAsked: (kind, outcome) => instruments.anonymousTokens.add(1, kind, outcome),
    cacheLookedUp: outcome => instruments.cacheLookups.add(1, outcome),
    watchCall: (request, call) => new ProviderWatch(watched, request, call),
  }
}

function recordRequests({ requests, requestDuration, refusals }: Instruments, tracer: Tracer | null) {
  return {
    requestEnded(request: PlaneRequest, response: PlaneResponse, ended: EndedRequest): void {
      const { plane, route, durationMs } = ended
      const routeClass = classOfRoute(plane, route)
      const status = response.headersSent ? response.statusCode : null
      const refusal = findRefusal(response)
      requests.add(1, routeClass, status === null ? 'none' : String(status))
      requestDuration.observe(durationMs / 1_000, routeClass)
      if (refusal !== null) refusals.add(1, refusal)
      if (tracer === null || route === undefined || !isInferenceRoute(route)) return
      const error = refusal ?? (response.writableFinished ? null : 'aborted')
      tracer.served(request, { route, status, error, durationMs })
    },
  }
}

type Revisions = ReturnType<typeof createRevisions>

function recordStores(instruments: Instruments, revisions: Revisions) {
  const {
    queryDuration,
    queryFailures,
    storeDuration,
    storeFailures,
    admissions,
    budgetRefusals,
    events,
    usageRows,
    requestRows,
    requestRowsDelay,
  } = instruments
  return {
    queryEnded(ms: number, isFailed: boolean): void {
      queryDuration.observe(ms / 1_000)
      if (isFailed) queryFailures.add(1)
    },
    storeCalled(intention: string, ms: number, isFailed: boolean): void {
      storeDuration.observe(ms / 1_000, intention)
      if (isFailed) storeFailures.add(1, intention)
    },
    admitted: (outcome: string) => admissions.add(1, outcome),
    budgetRefused: (level: string, reason: string) => budgetRefusals.add(1, level, reason),
    eventEmitted: (outcome: string) => events.add(1, outcome),
    requestRows: (outcome: string, rows: number) => requestRows.add(rows, outcome),
    requestRowsDelayed: (ms: number) => requestRowsDelay.observe(ms / 1_000),
    usageRows: (outcome: string, rows: number) => usageRows.add(rows, outcome),
    ...revisions,
  }
}

/** The highest revision that this replica has seen, and when it first saw it. */
function createRevisions(registry: Registry) {
  const follow = (name: string, words: string) => {
    let highest: number | null = null
    let since = 0
    registry.reading(
      'gauge',
      { name: `${name}_revision`, help: `Highest revision of ${words} that this replica has seen.` },
      () => highest,
    )
    registry.reading(
      'gauge',
      { name: `${name}_revision_age_seconds`, help: `Time since this replica first saw that revision of ${words}.` },
      () => (highest === null ? null : (performance.now() - since) / 1_000),
    )
    /** Whether it is at least as new as the highest one. */
    return (revision: number): boolean => {
      if (highest !== null && revision <= highest) return revision === highest
      highest = revision
      since = performance.now()
      return true
    }
  }
  let isOn: Record<'global' | 'tenant' | 'project', number> | null = null
  const noteSwitches = follow('sallyport_kill_switches', 'the kill switches')
  registry.reading(
    'gauge',
    { name: 'sallyport_kill_switches_on', help: 'Kill switches that are on, by scope.', label: 'scope' },
    () => (isOn === null ? null : Object.entries(isOn)),
  )
  return {
    configSeen: follow('sallyport_config', "any project's settings"),
    killSwitchesSeen(revision: number, on: Record<'global' | 'tenant' | 'project', number>): void {
      if (noteSwitches(revision)) isOn = on
    },
  }
}

function recordJobs(instruments: Instruments, registry: Registry) {
  const { jobRuns, jobDuration, dnsTries, webhookTries, meterEvents, auditEntries, signOns } = instruments
  const lastDone = new Map<string, number>()
  registry.reading(
    'gauge',
    {
      name: 'sallyport_job_last_done_age_seconds',
      help: 'Time since this process last completed the job; one of the replicas runs a shared job.',
      label: 'job',
    },
    () => [...lastDone].map(([job, at]) => [job, (performance.now() - at) / 1_000]),
  )
  return {
    jobEnded(job: string, outcome: string, ms: number): void {
      jobRuns.add(1, job, outcome)
      jobDuration.observe(ms / 1_000, job)
      if (outcome === 'done') lastDone.set(job, performance.now())
    },
    dnsAttempted: (action: string, outcome: string) => dnsTries.add(1, action, outcome),
    auditEntryAdded: (outcome: string) => auditEntries.add(1, outcome),
    signOnEnded: (kind: string, outcome: string) => signOns.add(1, kind, outcome),
    webhookAttempted: (outcome: string) => webhookTries.add(1, outcome),
    meterEvents: (outcome: string, events: number) => meterEvents.add(events, outcome),
  }
}
