// Reads the environment, and rejects an invalid configuration in one sentence that names the variable. Nothing else may
// read the environment.

import type { PlatformBounds } from '../domain/budgets/platform-bounds.ts'
import { baseUrlVariable, forEachProvider, platformKeyVariable } from '../domain/provider.ts'
import type { SettingsLimits } from '../domain/settings/settings-limits.ts'
import { StartupProblem } from '../domain/startup-problem.ts'
import type { InstallationIssuer } from '../oidc/connection-of.ts'
import { type roles, type Values, variables } from './schema.ts'
import { findClientKeys, findMisspelt } from './unread-variables.ts'

export type Environment = Readonly<Record<string, string | undefined>>
type Role = (typeof roles)[number]
export type Config = ReturnType<typeof loadConfig>

export function loadConfig(environment: Environment = process.env) {
  const values = readValues(environment)
  const mode = values.DATABASE_URL || values.REDIS_URL ? ('distributed' as const) : ('embedded' as const)
  refuseContradictions(values, mode)
  const baseUrl = values.BASE_URL ?? `http://localhost:${values.PORT}`
  return {
    mode,
    // Jobs run once on a machine, so a second process without another role would do nothing.
    processes: values.ROLE.size === 1 && values.ROLE.has('worker') ? 1 : values.PROCESSES,
    roles: values.ROLE as ReadonlySet<Role>,
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL ?? null,
    redisUrl: values.REDIS_URL ?? null,
    redisPrefix: values.REDIS_PREFIX,
    answerCacheBytes: values.ANSWER_CACHE_MB * 1_048_576,
    passwordConcurrency: Math.floor(values.UV_THREADPOOL_SIZE / 2),
    listener: arrangeListener(values, mode),
    addresses: arrangeAddresses(values, baseUrl),
    hasPages: values.DASHBOARD === 'on',
    secrets: {
      adminSecret: values.ADMIN_SECRET ?? null,
      jwtPrivateKey: values.JWT_PRIVATE_KEY ?? null,
      encryptionKey: values.ENCRYPTION_KEY ?? null,
      encryptionPreviousKeys: values.ENCRYPTION_PREVIOUS_KEYS,
      internalSecret: values.INTERNAL_SECRET ?? null,
      metricsToken: values.METRICS_TOKEN ?? null,
    },
    tokens: arrangeTokens(values, baseUrl),
    bootstrap: { email: values.BOOTSTRAP_EMAIL ?? null, password: values.BOOTSTRAP_PASSWORD ?? null },
    ...arrangeIssuers(values),
    providers: arrangeProviders(values),
    attestationServices: arrangeAttestationServices(values),
    ...arrangeTenants(values),
    ...arrangePlatform(values),
    recogniserUrl: values.EXTERNAL_RECOGNISER_URL ?? null,
    upstream: arrangeUpstream(values),
    clouds: {
      azureAuthority: values.AZURE_AUTHORITY_HOST,
      stsEndpoint: values.AWS_ENDPOINT_URL_STS ?? null,
      webIdentityFiles: values.WEB_IDENTITY_TOKEN_FILES,
    },
    syncIntervalMs: values.SYNC_INTERVAL,
    configCacheTtlMs: values.CONFIG_CACHE_TTL,
    dns: arrangeDns(values),
    logLevel: values.LOG_LEVEL ?? null,
    otlp: arrangeOtlp(values),
    unread: arrangeUnread(environment),
  }
}

function arrangeUpstream(values: Values) {
  return {
    times: {
      timeoutMs: values.UPSTREAM_TIMEOUT,
      idleTimeoutMs: values.UPSTREAM_IDLE_TIMEOUT,
      totalTimeoutMs: values.UPSTREAM_TOTAL_TIMEOUT,
    },
    outboundAllow: values.OUTBOUND_ALLOW,
    proxies: {
      https: values.HTTPS_PROXY ?? null,
      http: values.HTTP_PROXY ?? null,
      exceptions: values.NO_PROXY,
    },
  }
}

function arrangeAttestationServices(values: Values) {
  return {
    turnstile: values.TURNSTILE_BASE_URL,
    hcaptcha: values.HCAPTCHA_BASE_URL,
    recaptcha: values.RECAPTCHA_BASE_URL,
    appCheck: values.APP_CHECK_BASE_URL,
  }
}

/** A command's option wins over the variable. The other processes of this machine inherit it. */
export function choosePort(port: string): void {
  process.env['PORT'] = port
}

/** For a command that uses few variables. */
export function findGiven(name: 'PORT' | 'OUTBOUND_ALLOW', environment: Environment = process.env): string | null {
  return environment[name]?.trim() || null
}

function readValues(environment: Environment): Values {
  const given: Record<string, string> = {}
  for (const name of Object.keys(variables.shape)) {
    const text = findText(environment, name)
    // White space around a value is a mistake in the environment file, except in a password.
    const value = name === 'BOOTSTRAP_PASSWORD' ? text : text.trim()
    if (value !== '') given[name] = value
  }
  const result = variables.safeParse(given)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new StartupProblem(`${String(issue?.path[0])} ${issue?.message}.`)
}

/** Other programs read these in lower case, too; as with curl, the lower case wins unless it is empty. */
const lowerCaseFirst = new Set(['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'])

function findText(environment: Environment, name: string): string {
  const lower = lowerCaseFirst.has(name) ? environment[name.toLowerCase()]?.trim() : ''
  return lower || (environment[name] ?? '')
}

/** Variables that are set, that this program does not read, and that were probably meant for it. */
function arrangeUnread(environment: Environment) {
  const names = new Set(Object.keys(environment).filter(name => environment[name]?.trim()))
  return { misspelt: findMisspelt(names, Object.keys(variables.shape)), clientKeys: findClientKeys(names) }
}

type Mode = 'embedded' | 'distributed'

function refuseContradictions(values: Values, mode: Mode): void {
  if (mode === 'distributed') {
    refuseUnlessAll(values, ['DATABASE_URL', 'REDIS_URL'], 'distributed mode needs both DATABASE_URL and REDIS_URL')
    const required = ['ADMIN_SECRET', 'JWT_PRIVATE_KEY', 'ENCRYPTION_KEY'] as const
    refuseUnlessAll(values, required, 'it is required in distributed mode')
    refuseHalves(values, ['BOOTSTRAP_EMAIL', 'BOOTSTRAP_PASSWORD'])
  }
  const has = (role: Role) => values.ROLE.has(role)
  if (mode === 'embedded' && values.ROLE.size < 4) {
    throw new StartupProblem('ROLE must be all in embedded mode: roles apart need DATABASE_URL and REDIS_URL.')
  }
  if (has('gateway') && !has('inference')) {
    refuseUnlessAll(values, ['INFERENCE_URL'], 'a gateway without the inference role needs it')
  }
  if (has('inference') && !has('gateway')) {
    refuseUnlessAll(values, ['INTERNAL_SECRET'], 'an inference role without the gateway role needs it')
  }
  refuseHalves(values, ['SESSION_ISSUER', 'SESSION_JWKS_URL', 'SESSION_AUDIENCE'])
  refuseHalves(values, ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'])
}

function refuseUnlessAll(values: Values, names: readonly (keyof Values)[], reason: string): void {
  const missing = names.find(name => values[name] === undefined)
  if (missing) throw new StartupProblem(`${missing} is not set: ${reason}.`)
}

function refuseHalves(values: Values, names: readonly (keyof Values)[]): void {
  const isAnySet = names.some(name => values[name] !== undefined)
  if (isAnySet) refuseUnlessAll(values, names, `${names.join(', ')} belong together`)
}

function arrangeListener(values: Values, mode: Mode) {
  return {
    port: values.PORT,
    host: values.HOST ?? (mode === 'embedded' ? '127.0.0.1' : '0.0.0.0'),
    trustedProxies: values.TRUSTED_PROXIES,
    bodyLimitBytes: values.BODY_LIMIT_MB * 1_048_576,
    hasFastLane: values.FAST_LANE === 'on',
  }
}

function arrangeAddresses(values: Values, baseUrl: string) {
  return {
    baseUrl,
    publicDomain: values.PUBLIC_DOMAIN,
    internalDomain: values.INTERNAL_DOMAIN,
    dashboardOrigin: values.DASHBOARD_ORIGIN ?? baseUrl,
    upgradeUrl: values.UPGRADE_URL ?? `${baseUrl}/upgrade`,
    apiUrl: values.API_URL ?? baseUrl,
    inferenceUrl: values.INFERENCE_URL ?? null,
  }
}

function arrangeTenants(values: Values) {
  const limits: SettingsLimits = { maxTiers: values.MAX_TIERS, maxRpmLimit: values.MAX_RPM_LIMIT }
  const { TENANT_CREATION: tenantCreation, DEFAULT_PLAN: defaultPlan, AUDIT_DAYS: auditDays } = values
  return { tenantCreation, defaultPlan, auditDays, limits }
}

function arrangePlatform(values: Values) {
  const platformBounds: PlatformBounds = {
    tokens: {
      ofTenant: values.PLATFORM_TENANT_TOKENS_PER_DAY ?? null,
      ofAll: values.PLATFORM_TOKENS_PER_DAY ?? null,
    },
    usd: {
      ofTenant: values.PLATFORM_TENANT_USD_PER_DAY ?? null,
      ofAll: values.PLATFORM_USD_PER_DAY ?? null,
    },
  }
  return { platformDefaultModel: values.PLATFORM_DEFAULT_MODEL ?? null, platformBounds }
}

function arrangeTokens(values: Values, baseUrl: string) {
  return {
    keyId: values.JWT_KEY_ID,
    issuer: values.JWT_ISSUER ?? baseUrl,
    audience: values.JWT_AUDIENCE,
    previousKeys: values.JWT_PREVIOUS_KEYS,
    // Null if this process has the keys and publishes them itself.
    jwksUrl: values.JWKS_URL ?? (values.ROLE.has('api') ? null : `${baseUrl}/.well-known/jwks.json`),
    jwksCacheTtlMs: values.JWKS_CACHE_TTL,
    mintPerMinute: values.MINT_RPM,
  }
}

/** Of the people who use the management plane. */
function arrangeIssuers(values: Values) {
  return { sessionIssuer: arrangeSessionIssuer(values), singleSignOn: arrangeSingleSignOn(values) }
}

function arrangeSessionIssuer(values: Values) {
  const { SESSION_ISSUER: issuer, SESSION_JWKS_URL: jwksUrl, SESSION_AUDIENCE: audience } = values
  return issuer && jwksUrl && audience ? { issuer, jwksUrl, audience } : null
}

function arrangeSingleSignOn(values: Values): InstallationIssuer | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = values
  if (!issuer || !clientId || !clientSecret) return null
  const operatorClaim = values.OIDC_OPERATOR_CLAIM ?? null
  return { issuer, clientId, clientSecret, allowedDomains: values.OIDC_ALLOWED_DOMAINS ?? null, operatorClaim }
}

/** Null without an endpoint: no traces, and metrics only at /metrics. */
function arrangeOtlp(values: Values) {
  const endpoint = values.OTEL_EXPORTER_OTLP_ENDPOINT
  if (endpoint === undefined) return null
  return {
    endpoint,
    headers: values.OTEL_EXPORTER_OTLP_HEADERS,
    metricsEveryMs: values.OTEL_METRIC_EXPORT_INTERVAL,
    traceRatio: values.OTEL_TRACES_SAMPLER_ARG,
  }
}

function arrangeProviders(values: Values) {
  return forEachProvider(provider => ({
    baseUrl: values[baseUrlVariable(provider)],
    platformKey: values[platformKeyVariable(provider)] ?? null,
  }))
}

function arrangeDns(values: Values) {
  const need = <Name extends keyof Values>(name: Name): NonNullable<Values[Name]> => {
    const value = values[name]
    if (value === undefined)
      throw new StartupProblem(`${name} is not set: DNS_PROVIDER ${values.DNS_PROVIDER} needs it.`)
    return value as NonNullable<Values[Name]>
  }
  switch (values.DNS_PROVIDER) {
    case 'none':
      return { provider: 'none' as const }
    case 'rfc2136':
      return {
        provider: 'rfc2136' as const,
        target: need('DNS_TARGET'),
        server: need('DNS_RFC2136_SERVER'),
        zone: need('DNS_RFC2136_ZONE'),
        key: values.DNS_RFC2136_KEY ?? null,
      }
    case 'cloudflare':
      return {
        provider: 'cloudflare' as const,
        target: need('DNS_TARGET'),
        apiToken: need('CLOUDFLARE_API_TOKEN'),
        zoneId: need('CLOUDFLARE_ZONE_ID'),
        apiBase: values.CLOUDFLARE_API_BASE,
      }
    case 'route53':
      return {
        provider: 'route53' as const,
        target: need('DNS_TARGET'),
        accessKeyId: need('AWS_ACCESS_KEY_ID'),
        secretAccessKey: need('AWS_SECRET_ACCESS_KEY'),
        zoneId: need('ROUTE53_ZONE_ID'),
        apiBase: values.ROUTE53_API_BASE,
      }
  }
}
