// The dependencies and settings of the management plane.

import type { Kysely } from 'kysely'
import type { InferencePort } from '../call/inference-port.ts'
import type { SigningKey } from '../crypto/keys/signing-key.ts'
import type { PasswordHasher } from '../crypto/secrets/password.ts'
import type { SecretBox } from '../crypto/secrets/secret-box.ts'
import type { TryGuardrails } from '../domain/guardrails/guardrail-trial.ts'
import type { Log } from '../domain/log.ts'
import type { Metrics } from '../domain/metrics.ts'
import type { Provider } from '../domain/provider.ts'
import type { AnonymousRules } from '../domain/settings/anonymous-rules.ts'
import type { SettingsLimits } from '../domain/settings/settings-limits.ts'
import type { ProjectRef, Store, Windows } from '../kv/store.ts'
import type { InstallationIssuer } from '../oidc/connection-of.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { CloudTools } from '../providers/clouds/cloud-tools.ts'
import type { RequestBuffer } from '../storage/request-log/request-buffer.ts'
import type { RequestContent } from '../storage/request-log/request-content.ts'
import type { RequestDays } from '../storage/request-log/request-days.ts'
import type { Schema } from '../storage/schema.ts'
import type { RetriedPush } from './settings/push-with-retry.ts'

export interface ManagementDependencies {
  sql: Kysely<Schema>
  requestDays: RequestDays
  /** Writes the rows of the request log of this process. */
  requests: Pick<RequestBuffer, 'add' | 'flush'>
  requestContent: Pick<RequestContent, 'find' | 'flush'>
  kv: Store
  /** Pushes a committed change to the store; retries in the background if the store is unavailable. */
  pushToStore: RetriedPush
  /** The store's windows; counted in this process while the store is unavailable. */
  windows: Windows
  outbound: Outbound
  clouds: CloudTools
  /** Answers the playground's completions. */
  inference: InferencePort
  /** Runs the guardrails on one text. */
  tryGuardrails: TryGuardrails
  /** Writes the usage of this machine's answers to the database, before usage is summed up. */
  writeUsage: () => Promise<void>
  passwords: PasswordHasher
  secretBox: SecretBox
  signingKey: SigningKey
  now: () => number
  randomId: () => string
  log: Log
  metrics: Pick<Metrics, 'anonymousAsked' | 'auditEntryAdded' | 'signOnEnded'>
  anonymous: AnonymousDependencies
  settings: ManagementSettings
}

/** What tokens for anonymous users need. */
interface AnonymousDependencies {
  /** The setting as it is deployed. */
  rulesOf(project: ProjectRef): Promise<AnonymousRules | null>
  /** Signs challenges, in every process alike. */
  challengeKey: Uint8Array
  /** The base URLs of the services that check attestations. */
  services: Record<'turnstile' | 'hcaptcha' | 'recaptcha' | 'appCheck', string>
}

export interface ManagementSettings {
  /** Of the product. */
  version: string
  baseUrl: string
  publicDomain: string
  internalDomain: string
  dashboardOrigin: string
  upgradeUrl: string
  adminSecret: string
  tokenIssuer: string
  tokenAudience: string
  mintPerMinute: number
  /** Of new tenants. */
  defaultPlan: 'free' | 'pro'
  dnsIsWildcard: boolean
  tenantCreation: 'anyone' | 'operator'
  limits: SettingsLimits
  platformDefaultModel: string | null
  providers: Record<Provider, { baseUrl: string; platformKey: string | null }>
  sessionIssuer: { issuer: string; jwksUrl: string; audience: string } | null
  /** The installation's own issuer. */
  singleSignOn: InstallationIssuer | null
}
