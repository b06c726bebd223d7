// Every environment variable: its parser, default and description. Types, errors and the tables in docs derive from it.
// Rules between two variables belong to config.ts.
import { z } from 'zod'
import { brand } from '../domain/brand.ts'
import { defaultPrefix } from '../kv/redis/keys.ts'
import { issuerVariables } from './issuer-variables.ts'
import { limitVariables } from './limit-variables.ts'
import { attestationServices, cloudVariables, platformKeys, providerAddresses } from './provider-variables.ts'
import * as read from './values.ts'
import { secret, variable } from './variable.ts'

export const roles = ['api', 'gateway', 'inference', 'worker'] as const
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
const dnsProviders = ['none', 'rfc2136', 'cloudflare', 'route53'] as const

export const sections = {
  Process: {
    ROLE: variable(read.wordSet(roles).prefault('all'), `Comma-separated list of ${roles.join(', ')}; or all`),
    PROCESSES: variable(
      read.processes.prefault('1'),
      'Number of processes that share the port of this machine, 1 to 64; `auto` is one for each available core',
    ),
    DATA_DIR: variable(read.folder.prefault('./data'), 'Folder of the embedded database and of the generated secrets'),
    DATABASE_URL: variable(
      read.postgresUrl.optional(),
      'URL of PostgreSQL; if it and REDIS_URL are unset, Sallyport runs in embedded mode',
      secret,
    ),
    REDIS_URL: variable(
      read.redisUrl.optional(),
      'URL of Redis; if it and DATABASE_URL are unset, Sallyport runs in embedded mode',
      secret,
    ),
    REDIS_PREFIX: variable(
      read.redisPrefix.prefault(defaultPrefix),
      'Prefix of every key and channel in Redis; unless it is the default, also of the event stream guardrails:events',
    ),
    ANSWER_CACHE_MB: variable(
      read.integer(1, 65_536).prefault('64'),
      'Maximum size of all cached answers in MB, in Redis or in the process; beyond it the oldest are dropped',
    ),
    UV_THREADPOOL_SIZE: variable(
      read.integer(2, 1024).prefault('4'),
      'Size of the thread pool; half of the threads may hash passwords and API keys',
    ),
  },
  Listener: {
    PORT: variable(read.integer(0, 65_535).prefault('8080'), 'Port to listen on'),
    HOST: variable(read.listenHost.optional(), 'Address to listen on', {
      otherwise: '127.0.0.1 in embedded mode, else 0.0.0.0',
    }),
    TRUSTED_PROXIES: variable(
      read.networks.prefault(''),
      'Comma-separated addresses and networks of proxies; their X-Forwarded-For sets the client address',
    ),
    FAST_LANE: variable(
      read.oneOf(['on', 'off']).prefault('on'),
      "`off` reads every request with Node's HTTP server: slower, for comparison and as a fallback",
    ),
    BODY_LIMIT_MB: variable(
      read.integer(1, 512).prefault('10'),
      'Maximum size of an inference request body in MB; management request bodies: 1 MB',
    ),
  },
  Addresses: {
    BASE_URL: variable(read.origin.optional(), 'Public base URL of Sallyport', { otherwise: 'http://localhost:PORT' }),
    PUBLIC_DOMAIN: variable(
      read.domainName.prefault('localhost'),
      'Domain of project hosts: a project is reachable at slug.PUBLIC_DOMAIN',
    ),
    INTERNAL_DOMAIN: variable(
      read.domainName.prefault('dev.localhost'),
      'Second domain of project hosts: a project is also reachable at slug.INTERNAL_DOMAIN',
    ),
    DASHBOARD_ORIGIN: variable(
      read.origin.optional(),
      'Origin of the dashboard: allowed to call the management API, and the first entry of cors_origins of new projects',
      {
        otherwise: 'BASE_URL',
      },
    ),
    DASHBOARD: variable(
      read.oneOf(['on', 'off']).prefault('on'),
      '`off` answers 404 in place of all pages for people: `/`, `/app/`, `/invite`, `/reset`, `/sso`, `/upgrade`, `/docs`, `/llms.txt`, `/sdk.js`',
    ),
    UPGRADE_URL: variable(read.addressWithQuery.optional(), 'The upgrade_url in errors about the plan', {
      otherwise: 'BASE_URL/upgrade',
    }),
    API_URL: variable(
      read.address.optional(),
      'URL to which a gateway without the api role forwards mint requests on project hosts',
      {
        otherwise: 'BASE_URL',
      },
    ),
    INFERENCE_URL: variable(
      read.address.optional(),
      'URL to which the gateway forwards verified requests; if unset, the same process answers them',
    ),
    INTERNAL_SECRET: variable(
      read.headerSecret(1).optional(),
      'Secret that separate gateway and inference processes share (X-Internal-Secret)',
      secret,
    ),
  },
  Secrets: {
    ADMIN_SECRET: variable(
      read.headerSecret(16).optional(),
      'Credential of the admin routes (X-Admin-Secret); at least 16 characters',
      {
        otherwise: 'generated in embedded mode, else required',
        ...secret,
      },
    ),
    JWT_PRIVATE_KEY: variable(
      read.rsaPrivateKey.optional(),
      'RSA private key that signs tokens: PEM, or base64 of PEM',
      {
        otherwise: 'generated in embedded mode, else required',
        ...secret,
      },
    ),
    ENCRYPTION_KEY: variable(read.encryptionKey.optional(), 'Key that encrypts stored secrets: 32 bytes in base64', {
      otherwise: 'generated in embedded mode, else required',
      ...secret,
    }),
    ENCRYPTION_PREVIOUS_KEYS: variable(
      read.encryptionKeys.prefault(''),
      'Comma-separated earlier encryption keys: data they encrypted stays readable and is encrypted with the new key',
      secret,
    ),
  },
  Tokens: {
    JWT_KEY_ID: variable(read.keyId.prefault('default'), 'Key id (kid) of the signing key'),
    JWT_ISSUER: variable(read.anyText.optional(), 'Issuer of tokens (iss)', { otherwise: 'BASE_URL' }),
    JWT_AUDIENCE: variable(read.anyText.prefault(brand), 'Audience of tokens (aud)'),
    JWT_PREVIOUS_KEYS: variable(
      read.publicJwks.prefault('[]'),
      'JSON array of public JWKs that are also published and accepted, to rotate the signing key',
    ),
    JWKS_URL: variable(read.addressWithQuery.optional(), 'URL of the key set with which the gateway verifies tokens', {
      otherwise: 'its own with the api role, else the key set at BASE_URL',
    }),
    JWKS_CACHE_TTL: variable(read.seconds(0, 3600).prefault('300'), 'Seconds for which the gateway caches the key set'),
    MINT_RPM: variable(read.integer(1, 1_000_000).prefault('600'), 'Rate limit: mints per minute for each API key'),
  },
  People: {
    BOOTSTRAP_EMAIL: variable(
      read.email.optional(),
      'Email of the first dashboard user, created at start if there is no user',
      {
        otherwise: 'admin@localhost in embedded mode, else none',
      },
    ),
    BOOTSTRAP_PASSWORD: variable(read.password.optional(), 'Password of that user; at least 12 characters', {
      otherwise: 'generated in embedded mode, else none',
      ...secret,
    }),
    ...issuerVariables,
  },
  Limits: limitVariables,
  Providers: {
    ...providerAddresses(),
    ...platformKeys(),
    PLATFORM_DEFAULT_MODEL: variable(
      read.modelId.optional(),
      'Model of projects that have chosen none; Sallyport does not start if the model registry does not know it',
    ),
    UPSTREAM_TIMEOUT: variable(
      read.seconds(0.1, 3600).prefault('120'),
      "Timeout in seconds for the first byte of a provider's response",
    ),
    UPSTREAM_IDLE_TIMEOUT: variable(
      read.seconds(0.1, 3600).prefault('60'),
      'Timeout in seconds between two bytes of a response; ten times that for an event while only comments, pings or white space arrive',
    ),
    UPSTREAM_TOTAL_TIMEOUT: variable(
      read.seconds(0.1, 86_400).prefault('900'),
      'Timeout in seconds for a whole response; at most 300 if it is not streamed, or UPSTREAM_TIMEOUT if that is more',
    ),
    OUTBOUND_ALLOW: variable(
      read.outboundAllow.prefault(''),
      "Comma-separated hosts, host:port or networks that tenants' URLs may reach although they are private; also permits http",
    ),
    HTTPS_PROXY: variable(
      read.proxy.optional(),
      'URL of the proxy through which all requests to https addresses go (CONNECT); may contain user:password; https_proxy wins over it',
      secret,
    ),
    HTTP_PROXY: variable(
      read.proxy.optional(),
      'URL of the proxy through which all requests to http addresses go; may contain user:password; http_proxy wins over it',
      secret,
    ),
    NO_PROXY: variable(
      read.proxyExceptions.prefault(''),
      'Comma-separated hosts with their subdomains, .suffix, host:port, addresses and networks that are reached without the proxy; `*`: all; no_proxy wins over it',
    ),
    ...cloudVariables,
  },
  'Anonymous users': attestationServices,
  Guardrails: {
    EXTERNAL_RECOGNISER_URL: variable(
      read.address.optional(),
      'URL of a Presidio analyzer whose matches in requests join those of PII Shield, in projects without a `recogniser_url`; may be a private address',
    ),
  },
  Worker: {
    SYNC_INTERVAL: variable(read.seconds(0.1, 3600).prefault('15'), 'Seconds between two cycles of the worker'),
    CONFIG_CACHE_TTL: variable(
      read.seconds(0, 3600).prefault('30'),
      "Seconds for which the gateway caches a project's configuration; changes are pushed at once",
    ),
  },
  DNS: {
    DNS_PROVIDER: variable(
      read.oneOf(dnsProviders).prefault('none'),
      `One of ${dnsProviders.join(', ')}; none requires a wildcard record`,
    ),
    DNS_TARGET: variable(read.recordTarget.optional(), 'IP address or name that project hosts point at'),
    DNS_RFC2136_SERVER: variable(read.hostAndPort.optional(), 'rfc2136: host:port of the server that accepts updates'),
    DNS_RFC2136_ZONE: variable(read.domainName.optional(), 'rfc2136: the zone'),
    DNS_RFC2136_KEY: variable(
      read.tsigKey.optional(),
      'rfc2136: TSIG key as algorithm:name:base64; if unset, updates are unsigned',
      secret,
    ),
    CLOUDFLARE_API_TOKEN: variable(read.headerToken.optional(), 'cloudflare: API token', secret),
    CLOUDFLARE_ZONE_ID: variable(read.headerToken.optional(), 'cloudflare: id of the zone'),
    CLOUDFLARE_API_BASE: variable(
      read.address.prefault('https://api.cloudflare.com/client/v4'),
      'cloudflare: base URL of the API',
    ),
    AWS_ACCESS_KEY_ID: variable(read.headerToken.optional(), 'route53: id of the access key', secret),
    AWS_SECRET_ACCESS_KEY: variable(read.headerToken.optional(), 'route53: secret of the access key', secret),
    ROUTE53_ZONE_ID: variable(read.headerToken.optional(), 'route53: id of the hosted zone'),
    ROUTE53_API_BASE: variable(read.address.prefault('https://route53.amazonaws.com'), 'route53: base URL of the API'),
  },
  Observability: {
    LOG_LEVEL: variable(
      read.oneOf(logLevels).optional(),
      `One of ${logLevels.join(', ')}; logs are written to stderr, as JSON unless it is a terminal`,
      { otherwise: 'info; warn if stderr is a terminal' },
    ),
    METRICS_TOKEN: variable(
      read.headerToken.optional(),
      'Bearer token that permits GET /metrics from other addresses than loopback',
      secret,
    ),
    OTEL_EXPORTER_OTLP_ENDPOINT: variable(
      read.address.optional(),
      'Base URL of an OTLP collector (HTTP, JSON); traces go to /v1/traces, metrics to /v1/metrics below it',
    ),
    OTEL_EXPORTER_OTLP_HEADERS: variable(
      read.otlpHeaders.prefault(''),
      'Comma-separated name=value headers of OTLP requests; values are percent-encoded',
      secret,
    ),
    OTEL_METRIC_EXPORT_INTERVAL: variable(
      read.integer(100, 3_600_000).prefault('60000'),
      'Milliseconds between two exports of metrics',
    ),
    OTEL_TRACES_SAMPLER_ARG: variable(
      read.fraction('a number from 0 to 1').prefault('1'),
      'Ratio of sampled traces, for requests whose caller did not decide it by a traceparent',
    ),
  },
}

export const variables = z.object({
  ...sections.Process,
  ...sections.Listener,
  ...sections.Addresses,
  ...sections.Secrets,
  ...sections.Tokens,
  ...sections.People,
  ...sections.Limits,
  ...sections.Providers,
  ...sections['Anonymous users'],
  ...sections.Guardrails,
  ...sections.Worker,
  ...sections.DNS,
  ...sections.Observability,
})

export type Values = z.output<typeof variables>
