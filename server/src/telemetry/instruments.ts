// Every metric that is recorded as it happens: name, help text, labels. Gauges and process metrics, which are read on
// demand, are in process-readings.ts and with their owners. docs/observability.md lists all metrics.
import { signOnKinds } from '../domain/access/single-sign-on.ts'
import { auditOutcomes } from '../domain/audit/entry.ts'
import { boundLevels } from '../domain/budgets/platform-bounds.ts'
import { endpointNames } from '../domain/conversation/operations.ts'
import { guardrailDirections, guardrailNames } from '../domain/guardrails/guardrails.ts'
import { meterEventOutcomes } from '../domain/meters/meter.ts'
import {
  anonymousOutcomes,
  budgetRefusalReasons,
  cacheOutcomes,
  dnsActions,
  eventOutcomes,
  guardrailVerdicts,
  jobOutcomes,
  recogniserOutcomes,
  requestRowOutcomes,
  usageRowOutcomes,
  webhookOutcomes,
} from '../domain/metrics.ts'
import { providerKinds } from '../domain/provider.ts'
import { attestationKinds } from '../domain/settings/anonymous-rules.ts'
import { fixedLabel, openLabel } from './label.ts'
import type { Registry } from './registry.ts'
import { routeClasses } from './route-class.ts'
import { chunkBounds, durationBounds, tokenBounds } from './semantic-conventions.ts'

export type Instruments = ReturnType<typeof createInstruments>

const statuses = [
  ...[200, 201, 202, 204, 206, 301, 302, 304, 400, 401, 402, 403, 404, 405, 408, 409, 413, 415, 422, 429, 431],
  ...[500, 502, 503, 504],
].map(String)

const requestBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]
const fastBounds = [0.0001, 0.00025, 0.001, 0.0025, 0.01, 0.05, 0.25, 1, 5]
const jobBounds = [0.1, 1, 10, 60, 300]

const providerLabel = () => fixedLabel('provider', providerKinds)
const endpointLabel = () => fixedLabel('endpoint', endpointNames)
const tokenLabels = () => [providerLabel(), fixedLabel('direction', ['input', 'output']), endpointLabel()]
const guardrailLabel = () => fixedLabel('guardrail', guardrailNames)
const guardrailDirectionLabel = () => fixedLabel('direction', guardrailDirections)

export function createInstruments(registry: Registry) {
  return {
    ...requestInstruments(registry),
    ...providerInstruments(registry),
    ...guardrailInstruments(registry),
    ...storageInstruments(registry),
    ...workerInstruments(registry),
  }
}

function requestInstruments({ counter, histogram }: Registry) {
  return {
    requests: counter({
      name: 'sallyport_requests_total',
      help: 'Requests that have ended, by class of route and status; none if the client disconnected first.',
      labels: [fixedLabel('route', routeClasses), fixedLabel('status', [...statuses, 'none'])],
    }),
    requestDuration: histogram({
      name: 'sallyport_request_duration_seconds',
      help: 'Time from the request head to the end of the response, streams included.',
      labels: [fixedLabel('route', routeClasses)],
      bounds: requestBounds,
    }),
    refusals: counter({
      name: 'sallyport_refusals_total',
      help: 'Rejected requests, by error code.',
      labels: [openLabel('reason', 200)],
    }),
    admissions: counter({
      name: 'sallyport_admissions_total',
      help: 'Admissions by the store: admitted, or the limit, switch or outage that prevented it.',
      labels: [openLabel('outcome', 16)],
    }),
    budgetRefusals: counter({
      name: 'sallyport_budget_refusals_total',
      help: 'Calls that a budget has too little left for, by level; spent, or reserved by running calls.',
      labels: [fixedLabel('level', boundLevels), fixedLabel('reason', budgetRefusalReasons)],
    }),
    anonymousTokens: counter({
      name: 'sallyport_anonymous_tokens_total',
      help: 'Requests for tokens of anonymous users, by attestation: issued, or why there is no token.',
      labels: [fixedLabel('attestation', attestationKinds), fixedLabel('outcome', anonymousOutcomes)],
    }),
  }
}

function providerInstruments({ counter, histogram }: Registry) {
  return {
    providerTries: counter({
      name: 'sallyport_provider_tries_total',
      help: 'Attempts at a provider, by outcome: complete, a class of failure, or ended by Sallyport or the client.',
      labels: [providerLabel(), openLabel('outcome', 24)],
    }),
    providerDuration: histogram({
      name: 'sallyport_provider_duration_seconds',
      help: 'Time from an attempt to the end of its answer or its failure, without attempts that our side ended.',
      labels: [providerLabel(), endpointLabel()],
      bounds: durationBounds,
    }),
    firstToken: histogram({
      name: 'sallyport_provider_first_token_seconds',
      help: 'Time from an attempt to the first event of its stream.',
      labels: [providerLabel()],
      bounds: durationBounds,
    }),
    interToken: histogram({
      name: 'sallyport_provider_inter_token_seconds',
      help: 'Time between two tokens: the mean of a stream, once for each stream.',
      labels: [providerLabel()],
      bounds: chunkBounds,
    }),
    tokens: counter({
      name: 'sallyport_tokens_total',
      help: 'Tokens as charged.',
      labels: tokenLabels(),
    }),
    answerTokens: histogram({
      name: 'sallyport_answer_tokens',
      help: 'Tokens as charged, for each answer.',
      labels: tokenLabels(),
      bounds: tokenBounds,
    }),
  }
}

function guardrailInstruments({ counter, histogram }: Registry) {
  return {
    verdicts: counter({
      name: 'sallyport_guardrail_verdicts_total',
      help: 'Verdicts of the guardrails on requests and answers.',
      labels: [guardrailLabel(), guardrailDirectionLabel(), fixedLabel('verdict', guardrailVerdicts)],
    }),
    guardrailDuration: histogram({
      name: 'sallyport_guardrail_duration_seconds',
      help: 'Duration of the scan of one request, or of one answer without the time between its pieces.',
      labels: [guardrailLabel(), guardrailDirectionLabel()],
      bounds: fastBounds,
    }),
    reusedVerdicts: counter({
      name: 'sallyport_guardrail_verdicts_reused_total',
      help: 'Texts whose verdict was cached.',
      labels: [guardrailLabel()],
    }),
    recogniserCalls: counter({
      name: 'sallyport_recogniser_calls_total',
      help: 'Calls of external recognisers: answered, or why there is no answer.',
      labels: [fixedLabel('outcome', recogniserOutcomes)],
    }),
    recogniserDuration: histogram({
      name: 'sallyport_recogniser_duration_seconds',
      help: 'Duration of one call of an external recogniser, failures included.',
      bounds: fastBounds,
    }),
  }
}

function storageInstruments({ counter, histogram }: Registry) {
  return {
    storeDuration: histogram({
      name: 'sallyport_store_duration_seconds',
      help: 'Duration of one operation of the key-value store, failures included.',
      labels: [openLabel('intention', 64)],
      bounds: fastBounds,
    }),
    storeFailures: counter({
      name: 'sallyport_store_failures_total',
      help: 'Operations of the key-value store that failed.',
      labels: [openLabel('intention', 64)],
    }),
    queryDuration: histogram({
      name: 'sallyport_database_duration_seconds',
      help: 'Duration of one database statement, failures included.',
      bounds: fastBounds,
    }),
    queryFailures: counter({
      name: 'sallyport_database_failures_total',
      help: 'Database statements that failed, violated constraints included.',
    }),
    events: counter({
      name: 'sallyport_guardrail_events_total',
      help: "Guardrail events of this process: stored, dropped over a tenant's quota, or failed.",
      labels: [fixedLabel('outcome', eventOutcomes)],
    }),
    cacheLookups: counter({
      name: 'sallyport_answer_cache_lookups_total',
      help: 'Lookups of the answer cache: hit, miss, or failed, which counts as a miss for the request.',
      labels: [fixedLabel('outcome', cacheOutcomes)],
    }),
    requestRows: counter({
      name: 'sallyport_request_rows_total',
      help: 'Rows of the request log: written, dropped, or left out beyond 20 refusals of a project in a second.',
      labels: [fixedLabel('outcome', requestRowOutcomes)],
    }),
    requestRowsDelay: histogram({
      name: 'sallyport_request_rows_delay_seconds',
      help: 'Time from the end of a request to the write of its row, for the oldest row of each batch.',
      bounds: durationBounds,
    }),
    usageRows: counter({
      name: 'sallyport_usage_rows_total',
      help: 'Usage rows: written, shelved in the store while the database is unavailable, or dropped.',
      labels: [fixedLabel('outcome', usageRowOutcomes)],
    }),
  }
}

function workerInstruments({ counter, histogram }: Registry) {
  return {
    jobRuns: counter({
      name: 'sallyport_job_runs_total',
      help: 'Runs of worker jobs in this process.',
      labels: [openLabel('job', 32), fixedLabel('outcome', jobOutcomes)],
    }),
    jobDuration: histogram({
      name: 'sallyport_job_duration_seconds',
      help: 'Duration of one run of a job.',
      labels: [openLabel('job', 32)],
      bounds: jobBounds,
    }),
    dnsTries: counter({
      name: 'sallyport_dns_tries_total',
      help: "Attempts to register or remove projects' host names: done, or the kind of failure.",
      labels: [fixedLabel('action', dnsActions), openLabel('outcome', 16)],
    }),
    auditEntries: counter({
      name: 'sallyport_audit_entries_total',
      help: 'Entries that were added to the audit: acts done, and acts refused.',
      labels: [fixedLabel('outcome', auditOutcomes)],
    }),
    signOns: counter({
      name: 'sallyport_sign_ons_total',
      help: 'Single sign-ons that came back from an identity provider.',
      labels: [fixedLabel('kind', signOnKinds), fixedLabel('outcome', auditOutcomes)],
    }),
    webhookTries: counter({
      name: 'sallyport_webhook_tries_total',
      help: 'Attempts to deliver webhooks: delivered, failed and to be retried, or failed for good.',
      labels: [fixedLabel('outcome', webhookOutcomes)],
    }),
    meterEvents: counter({
      name: 'sallyport_meter_events_total',
      help: 'Events of meters: sent, to be sent again after a failed attempt, rejected by the receiver, or dropped.',
      labels: [fixedLabel('outcome', meterEventOutcomes)],
    }),
  }
}
