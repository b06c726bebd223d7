// Creates this process's telemetry: its registry, its recorders and its exporters.
import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { InferencePort } from '../call/inference-port.ts'
import type { Config } from '../config/config.ts'
import type { Log } from '../domain/log.ts'
import type { Gateway } from '../gateway/serve.ts'
import type { RuntimeRequestHandler } from '../http/front/accept-request.ts'
import type { Listener } from '../http/front/listener.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { ProcessPlace } from '../processes/place.ts'
import { listOldestWaiting } from '../storage/meters/meter-rows.ts'
import type { Schema } from '../storage/schema.ts'
import { createMetrics, type Recorder } from '../telemetry/create-metrics.ts'
import { createMetricsPlane } from '../telemetry/metrics-plane.ts'
import { createOtlpExporter } from '../telemetry/otlp-exporter.ts'
import { pollReading } from '../telemetry/poll-reading.ts'
import { readProcess } from '../telemetry/process-readings.ts'
import { createRegistry, type Registry } from '../telemetry/registry.ts'
import { attributes } from '../telemetry/semantic-conventions.ts'
import { createTracer, type Tracer } from '../telemetry/tracer.ts'
import { countEventDrops } from '../worker/report-event-drops.ts'
import { readVersion } from './version.ts'

export interface Telemetry {
  registry: Registry
  metrics: Recorder
  /** Null without an endpoint for traces. */
  tracer: Tracer | null
  stop(): Promise<void>
}

export function openTelemetry(config: Config, outbound: Outbound, log: Log): Telemetry {
  const registry = createRegistry()
  const version = readVersion()
  const stopReading = readProcess(registry, { version, roles: config.roles })
  const { otlp } = config
  const exporter =
    otlp === null ? null : createOtlpExporter({ ...otlp, resource: describeResource(version), registry, outbound, log })
  const tracer = otlp === null || exporter === null ? null : createTracer({ ratio: otlp.traceRatio, sink: exporter })
  return {
    registry,
    metrics: createMetrics({ registry, tracer }),
    tracer,
    async stop() {
      stopReading()
      await exporter?.stop()
    },
  }
}

/** The random instance id of each process identifies its replica. */
function describeResource(version: string) {
  return {
    [attributes.serviceName]: 'sallyport',
    [attributes.serviceVersion]: version,
    [attributes.serviceInstance]: randomUUID(),
  }
}

export function metricsHandler(config: Config, { registry }: Telemetry, place: ProcessPlace): RuntimeRequestHandler {
  const families = async () => (place.kind === 'only' ? registry.families() : place.collect(registry.families))
  return createMetricsPlane({ families, token: config.secrets.metricsToken })
}

export function readListener({ registry }: Telemetry, listener: Listener): void {
  const { reading } = registry
  reading(
    'gauge',
    { name: 'sallyport_open_requests', help: 'Requests in flight.' },
    () => listener.countOpen().requests,
  )
  reading(
    'gauge',
    { name: 'sallyport_open_streams', help: 'Event streams in flight.' },
    () => listener.countOpen().streams,
  )
}

export function readGateway({ registry: { reading } }: Telemetry, { counters, replicas }: Gateway): void {
  const { local, settlements } = counters
  const counted = (name: string, help: string, read: () => number) => reading('counter', { name, help }, read)
  const admitted = 'Admissions that this process counted itself, during an outage of the store.'
  counted('sallyport_local_admissions_total', admitted, () => local().admissions)
  counted(
    'sallyport_store_outages_total',
    'Outages of the store that made this process count admissions itself.',
    () => local().outages,
  )
  const known =
    'Gateway replicas that this one knows of; each admits one share of the limits while Redis is unreachable.'
  reading('gauge', { name: 'sallyport_gateway_replicas', help: known }, replicas.count)
  const settled = { name: 'sallyport_settlements_total', help: 'Settlements of token reservations, by outcome.' }
  reading('counter', { ...settled, label: 'outcome' }, () => Object.entries(settlements))
}

type EventDropSource = Parameters<typeof countEventDrops>[0] & { telemetry: Telemetry; log: Log }

/** The figures are totals of the whole store. Every worker exports them, and the highest is the current one. */
export function watchEventDrops(dependencies: EventDropSource): () => Promise<void> {
  const { telemetry, log } = dependencies
  const stop = pollReading(telemetry.registry, log, {
    name: 'sallyport_guardrail_events_lost',
    help: 'Guardrail events lost so far in the whole store, by reason.',
    label: 'reason',
    everyMs: 15_000,
    read: async () => Object.entries(await countEventDrops(dependencies)),
  })
  return async () => stop()
}

type LagSource = { sql: Kysely<Schema>; now: () => number; telemetry: Telemetry; log: Log }

/** Every worker exports it, and all read the same. */
export function watchMeterLag({ sql, now, telemetry, log }: LagSource): () => Promise<void> {
  const stop = pollReading(telemetry.registry, log, {
    name: 'sallyport_meter_lag_seconds',
    help: 'Age of the oldest request that no meter has sent yet, by format of the meter.',
    label: 'format',
    everyMs: 15_000,
    read: async () => {
      const oldest = await listOldestWaiting(sql)
      return oldest.map(({ format, at }) => [format, at === null ? 0 : Math.max(0, now() - at) / 1000])
    },
  })
  return async () => stop()
}

/** Continues the trace in the process that answers. */
export function carryTraces(port: InferencePort, tracer: Tracer | null): InferencePort {
  if (tracer === null) return port
  return {
    checkRequest: port.checkRequest,
    answer(call) {
      tracer.carry(call.request)
      return port.answer(call)
    },
  }
}
