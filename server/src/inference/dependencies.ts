// The dependencies and settings of the inference role.

import type { Kysely } from 'kysely'
import type { SecretBox } from '../crypto/secrets/secret-box.ts'
import type { PlatformBounds } from '../domain/budgets/platform-bounds.ts'
import type { UpstreamTimeouts } from '../domain/conversation/upstream-timeouts.ts'
import type { Log } from '../domain/log.ts'
import type { Metrics } from '../domain/metrics.ts'
import type { Provider } from '../domain/provider.ts'
import type { Store } from '../kv/store.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { CloudTools } from '../providers/clouds/cloud-tools.ts'
import type { Link } from '../sockets/link.ts'
import type { RequestBuffer } from '../storage/request-log/request-buffer.ts'
import type { RequestContent } from '../storage/request-log/request-content.ts'
import type { RequestDays } from '../storage/request-log/request-days.ts'
import type { Schema } from '../storage/schema.ts'

export interface InferenceDependencies {
  sql: Kysely<Schema>
  requestDays: RequestDays
  /** Writes the rows of the request log of this process. */
  requests: Pick<RequestBuffer, 'flush'>
  /** Keeps the content of requests, where a project wants it. */
  requestContent: Pick<RequestContent, 'add'>
  kv: Store
  outbound: Outbound
  clouds: CloudTools
  secretBox: SecretBox
  /** Each project's key for mask tokens is derived from it. */
  maskingKey: Uint8Array
  metrics: Metrics
  now: () => number
  randomId: () => string
  /** This process's name among all that share the store. */
  replicaId: string
  log: Log
  /** Resolves when the other processes of this machine have written the usage that they buffer. */
  writeUsageOfOthers: () => Promise<void>
  /** To the process that writes this one's rows of usage; null if this process writes them. */
  usageLink: Link | null
  settings: InferenceSettings
}

export interface InferenceSettings extends UpstreamTimeouts {
  /** The operator's addresses and keys. */
  providers: Record<Provider, { baseUrl: string; platformKey: string | null }>
  platformDefaultModel: string | null
  /** Of what the platform's keys pay for. */
  platformBounds: PlatformBounds
  /** The operator's external recogniser of personal data. */
  recogniserUrl: string | null
}
