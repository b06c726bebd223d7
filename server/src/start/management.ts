// Creates the management plane's dependencies, and the first user.
import { randomBytes } from 'node:crypto'
import type { Config } from '../config/config.ts'
import { deriveKey } from '../crypto/secrets/derive-key.ts'
import { createPasswordHasher } from '../crypto/secrets/password.ts'
import { readOrCreateSecret } from '../crypto/secrets/secret-file.ts'
import type { ConfigCache } from '../gateway/config-cache.ts'
import type { Inference } from '../inference/create-inference.ts'
import { withLocalWindows } from '../kv/windows-with-fallback.ts'
import type { ManagementDependencies } from '../management/dependencies.ts'
import { bootstrapUser } from '../management/people/bootstrap-user.ts'
import { createRetriedPush } from '../management/settings/push-with-retry.ts'
import { outsideActs } from '../storage/audit/act.ts'
import { logStart, type ProcessDependencies } from './dependencies.ts'
import { readVersion } from './version.ts'

export function managementDependencies(
  config: Config,
  dependencies: ProcessDependencies,
  inference: Inference,
  configs: Pick<ConfigCache, 'get'>,
): ManagementDependencies {
  const { sql, kv, outbound, clouds, secrets, secretBox, signingKey, now, randomId, log, metrics } = dependencies
  const { requestDays, requests, requestContent } = dependencies
  return {
    sql,
    requestDays,
    requests,
    requestContent,
    kv,
    pushToStore: createRetriedPush(log),
    windows: kv.kind === 'process' ? kv : withLocalWindows(kv, now, log),
    outbound,
    clouds,
    inference,
    tryGuardrails: inference.tryGuardrails,
    // What is written then comes from all requests: it is no part of this one's act.
    writeUsage: () => outsideActs(inference.writeUsage),
    passwords: createPasswordHasher({ concurrency: config.passwordConcurrency }),
    secretBox,
    signingKey,
    now,
    randomId,
    log,
    metrics,
    anonymous: {
      rulesOf: async project => (await configs.get(project)).live.settings.anonymous,
      challengeKey: deriveKey(secrets.encryptionKey, ['challenges']),
      services: config.attestationServices,
    },
    settings: managementSettings(config, secrets.adminSecret),
  }
}

function managementSettings(config: Config, adminSecret: string): ManagementDependencies['settings'] {
  const { addresses, tokens } = config
  return {
    ...addresses,
    version: readVersion(),
    adminSecret,
    tokenIssuer: tokens.issuer,
    tokenAudience: tokens.audience,
    mintPerMinute: tokens.mintPerMinute,
    defaultPlan: config.defaultPlan,
    dnsIsWildcard: config.dns.provider === 'none',
    tenantCreation: config.tenantCreation,
    limits: config.limits,
    platformDefaultModel: config.platformDefaultModel,
    providers: config.providers,
    sessionIssuer: config.sessionIssuer,
    singleSignOn: config.singleSignOn,
  }
}

export interface FirstUser {
  email: string
  /** Null if the operator chose it. */
  password: string | null
}

/** Null if there are users already, or none is configured. */
export async function makeFirstUser(config: Config, management: ManagementDependencies): Promise<FirstUser | null> {
  const { email, password } = config.bootstrap
  if (config.mode === 'distributed' && (email === null || password === null)) return null
  const address = email ?? 'admin@localhost'
  let generated: string | null = null
  const isMade = await bootstrapUser(management, address, async () => {
    if (password !== null) return password
    generated = await keepInitialPassword(config.dataDir)
    return generated
  })
  return isMade ? { email: address, password: generated } : null
}

async function keepInitialPassword(folder: string): Promise<string> {
  const { secret } = await readOrCreateSecret({
    folder,
    name: 'initial-password',
    create: () => randomBytes(18).toString('base64url'),
    read: text => (text.length >= 12 ? text : null),
    warn: logStart,
  })
  return secret
}
