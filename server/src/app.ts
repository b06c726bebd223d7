// Starts and stops the product: creates each part with its dependencies from the configuration, in a safe order.
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Config } from './config/config.ts'
import { isSameSecret } from './crypto/compare.ts'
import { createOrderedIds } from './crypto/ordered-ids.ts'
import { createDnsDriver, describeNames } from './dns/create-driver.ts'
import { measureDriver } from './dns/measured-driver.ts'
import type { Log } from './domain/log.ts'
import { productFolder } from './files/own-files.ts'
import { createConfigCache } from './gateway/config-cache.ts'
import type { RequestHandlers, RuntimeRequestHandler } from './http/front/accept-request.ts'
import { createNeighbourCheck } from './http/front/client-address.ts'
import { createListener, type Listener } from './http/front/listener.ts'
import type { Inference } from './inference/create-inference.ts'
import { createManagement, type ManagementApi } from './management/create-management.ts'
import { createTlsAllowed } from './management/operations/tls-allowed.ts'
import { describeDataPlane } from './openapi/describe-data-plane.ts'
import { createPages } from './pages/create-pages.ts'
import { onlyProcess, type ProcessPlace, type ReadFamilies } from './processes/place.ts'
import type { Link } from './sockets/link.ts'
import { openDependencies, type ProcessDependencies } from './start/dependencies.ts'
import { explainOutage } from './start/explain-outage.ts'
import { createInternalHosts } from './start/internal-hosts.ts'
import { type FirstUser, makeFirstUser, managementDependencies } from './start/management.ts'
import { listenAt, refuseTakenPort } from './start/port.ts'
import { createInferenceRole, createProjectHosts, standInForManagement } from './start/project-hosts.ts'
import { metricsHandler, readListener, watchEventDrops, watchMeterLag } from './start/telemetry.ts'
import { createPromptVersions } from './storage/settings/prompt-versions.ts'
import { allJobs } from './worker/jobs.ts'
import { startWorker, type Worker } from './worker/loop.ts'
import { measureJob } from './worker/measured-job.ts'
import { settleReservationsOf } from './worker/sweep-reservations.ts'

export interface App {
  address: AddressInfo
  /** Created by this start, to be printed once. */
  firstUser: FirstUser | null
  /** Lets another process of this machine use the embedded database and store. */
  serveTo(link: Link): void
  /** Settles what a replica that has ended had reserved of tokens and money; returns how many reservations. */
  settleReservationsOf(replicaId: string): Promise<number>
  /** Accepts the connections of a process that has ended, until the returned function is called. */
  acceptFrom: Listener['acceptFrom']
  /** The metrics of this process. */
  families: ReadFamilies
  /** Writes the usage that this process buffers. */
  writeUsage(): Promise<void>
  /** Short names of what keeps this process from being ready. */
  readiness(): readonly string[]
  /**
   * Stops serving, drains for at most 30 seconds, and closes everything. With `isReplaced`, another process accepts
   * requests already.
   */
  stop(isReplaced?: boolean): Promise<void>
  /** Ends all connections at once; streams get their last event. */
  cutOff(): Promise<void>
}

const drainMs = 30_000
const docsFolder = join(productFolder, 'docs')
const dashboardFolder = join(productFolder, 'dashboard/dist')

export async function startApp(config: Config, log: Log, place: ProcessPlace = onlyProcess): Promise<App> {
  const endings = createEndings()
  try {
    return await startParts(place.kind === 'other' ? withoutWorker(config) : config, log, endings, place)
  } catch (error) {
    await endings.runAll()
    throw explainOutage(error)
  }
}

/** Jobs run once on a machine, in its first process. */
function withoutWorker(config: Config): Config {
  return { ...config, roles: new Set([...config.roles].filter(role => role !== 'worker')) }
}

function findUnready(place: ProcessPlace, worker: Worker | null): readonly string[] {
  if (place.kind === 'other') return place.readiness()
  const ofOthers = place.kind === 'first' ? place.readiness() : []
  return worker === null || worker.isReady() ? ofOthers : ['first_cycle', ...ofOthers]
}

async function startParts(config: Config, log: Log, endings: Endings, place: ProcessPlace): Promise<App> {
  if (place.kind !== 'other') await refuseTakenPort(config)
  const dependencies = await openDependencies(config, log, endings.add, place)
  // Shared by all roles of this process.
  const configs = createConfigCache({ ...dependencies, cacheTtlMs: config.configCacheTtlMs })
  endings.add(async () => configs.stop())
  const inference = createInferenceRole(config, dependencies)
  if (inference !== null) endings.add(() => inference.stop())
  const management =
    inference !== null && config.roles.has('api')
      ? managementDependencies(config, dependencies, inference, configs)
      : null
  const api =
    management === null ? null : await createManagement(management, config.tokens.previousKeys, describeDataPlane)
  const managementHost = api === null ? standInForManagement(config, dependencies) : withPages(config, api)
  const shared = { configs, findVersion: createPromptVersions(dependencies.sql) }
  const internalHosts = createInternalHosts(config, dependencies, shared, inference)
  endings.add(() => internalHosts.stop())
  const projectHosts = createProjectHosts(config, dependencies, shared, api?.handle ?? null, inference, internalHosts)
  endings.add(() => projectHosts.stop())
  const firstUser = management === null || place.kind === 'other' ? null : await makeFirstUser(config, management)
  const worker = config.roles.has('worker') ? startWorkerOf(config, dependencies) : null
  if (worker !== null) endings.add(() => worker.stop())
  if (worker !== null) endings.add(watchEventDrops(dependencies))
  if (worker !== null) endings.add(watchMeterLag(dependencies))
  const readiness = () => findUnready(place, worker)
  const listener = createListenerOf(
    config,
    dependencies,
    {
      management: internalHosts.before(managementHost),
      project: projectHosts.plane,
      unknown: projectHosts.unknown,
      findPlain: projectHosts.findPlain,
      metrics: metricsHandler(config, dependencies.telemetry, place),
    },
    readiness,
    place.kind === 'first' ? place.socketCount : undefined,
  )
  readListener(dependencies.telemetry, listener)
  // The port opens last: before the first user exists, the right password would be rejected and counted as a failure.
  const address = await listenAt(listener, config, place)
  endings.add(() => listener.close(drainMs))
  return {
    address,
    firstUser,
    ...partsForOthers(config, dependencies, inference),
    acceptFrom: listener.acceptFrom,
    readiness,
    cutOff: () => listener.close(0),
    async stop(isReplaced) {
      // Another replica can take over the jobs while this one still serves.
      const others = place.kind === 'first' ? place.stopOthers() : null
      await Promise.all([listener.close(drainMs, isReplaced), worker?.stop(), others])
      await endings.runAll()
    },
  }
}

/** What the other processes of this machine use of this one. */
function partsForOthers(
  { mode }: Config,
  dependencies: ProcessDependencies,
  inference: Inference | null,
): Pick<App, 'serveTo' | 'settleReservationsOf' | 'families' | 'writeUsage'> {
  return {
    serveTo(link) {
      dependencies.serveTo(link)
      if (mode === 'embedded') inference?.takeUsageOf(link)
    },
    settleReservationsOf: replicaId => settleReservationsOf(dependencies, replicaId),
    families: dependencies.telemetry.registry.families,
    writeUsage: () => inference?.writeOwnUsage() ?? Promise.resolve(),
  }
}

function withPages({ hasPages, addresses: { baseUrl } }: Config, api: ManagementApi): RuntimeRequestHandler {
  const { handle, documents } = api
  return hasPages ? createPages({ docsFolder, dashboardFolder, baseUrl, documents }).before(handle) : handle
}

/** Runs all jobs at once: what a start needs of the database comes before, so as not to wait behind them. */
function startWorkerOf(config: Config, dependencies: ProcessDependencies): Worker {
  const { sql, kv, outbound, now, randomId, log, secretBox, signingKey, metrics } = dependencies
  // In embedded mode the folder's lock allows one process only.
  const holder = config.mode === 'embedded' ? null : randomId()
  const driver = measureDriver(createDnsDriver(config.dns, dependencies), metrics)
  const { publicDomain, internalDomain } = config.addresses
  const madeFor = describeNames(config.dns, { publicDomain, internalDomain })
  const jobs = allJobs(config, {
    secretBox,
    requestLog: dependencies,
    signingKey,
    provisioning: { driver, madeFor, publicDomain, internalDomain, randomId },
    shelf: kv.shelf,
    delivering: { secretBox, randomId, metrics },
    meterSending: { secretBox, randomId, metrics },
  })
  const measured = jobs.map(job => measureJob(job, metrics))
  return startWorker(measured, { sql, kv, outbound, now, log }, { holder })
}

type Answerers = Pick<RequestHandlers, 'management' | 'project' | 'unknown' | 'findPlain' | 'metrics'>

function createListenerOf(
  config: Config,
  dependencies: ProcessDependencies,
  handlers: Answerers,
  readiness: () => readonly string[],
  socketCount: number | undefined,
): Listener {
  const { internalSecret } = config.secrets
  const { trustedProxies } = config.listener
  const isNeighbour = createNeighbourCheck(trustedProxies)
  const trustsProxies = trustedProxies.length > 0
  return createListener({
    hosts: config.addresses,
    trustedProxies,
    hasFastLane: config.listener.hasFastLane,
    handlers: {
      ...handlers,
      internal: handlers.management,
      tlsAllowed: createTlsAllowed({ sql: dependencies.sql, hosts: config.addresses, isNeighbour, trustsProxies }),
    },
    isInternalSecret: secret => internalSecret !== null && isSameSecret(secret, internalSecret),
    readiness,
    ...(socketCount === undefined ? {} : { socketCount }),
    onEnded: dependencies.telemetry.metrics.requestEnded,
    log: dependencies.log,
    now: dependencies.now,
    randomId: createOrderedIds(dependencies.now),
  })
}

type Endings = ReturnType<typeof createEndings>

/** Closes in reverse order of opening. One failing close does not stop the rest. */
function createEndings() {
  const endings: (() => Promise<unknown>)[] = []
  return {
    add(end: () => Promise<unknown>): void {
      endings.push(end)
    },
    async runAll(): Promise<void> {
      const errors: unknown[] = []
      for (const end of endings.splice(0).reverse()) await end().catch((error: unknown) => errors.push(error))
      if (errors.length > 0) throw new AggregateError(errors, 'not every part stopped cleanly')
    },
  }
}
