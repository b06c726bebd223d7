// Tests which environment variables count as meant for Sallyport although it does not read them.
import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { variables } from '../../src/config/schema.ts'

const misspelt = (...names: string[]) =>
  loadConfig(Object.fromEntries(names.map(name => [name, 'x']))).unread.misspelt.map(({ name, instead }) => [
    name,
    instead,
  ])

test.each([
  ['PUBLIC_DOMIAN', 'PUBLIC_DOMAIN'],
  ['DATABASE_UR', 'DATABASE_URL'],
  ['database_url', 'DATABASE_URL'],
  ['REDISURL', 'REDIS_URL'],
  ['ADMIN_SECERT', 'ADMIN_SECRET'],
  ['PROT', 'PORT'],
  ['BASEURL', 'BASE_URL'],
  ['OPENAI_BASE_URI', 'OPENAI_BASE_URL'],
  ['UPSTREAM_TIMEOUT_SECONDS', 'UPSTREAM_TIMEOUT'],
  ['PLATFORM_MODEL', 'PLATFORM_DEFAULT_MODEL'],
  ['BOOTSTRAP_USER_EMAIL', 'BOOTSTRAP_EMAIL'],
])('%s was probably meant as %s', (name, instead) => {
  expect(misspelt(name)).toEqual([[name, instead]])
})

test('no variable that is read counts, nor one of the system, of npm, of clouds, or of Kubernetes', () => {
  const others =
    'PATH HOME HOSTNAME USER LOGNAME SHELL TERM LANG PWD OLDPWD EDITOR MAIL TZ NODE NODE_ENV NODE_OPTIONS COLOR CI ' +
    'npm_config_user_agent npm_package_name npm_lifecycle_event INIT_CWD AWS_REGION AWS_PROFILE OTEL_SERVICE_NAME ' +
    'GOOGLE_APPLICATION_CREDENTIALS AZURE_TENANT_ID KUBERNETES_SERVICE_HOST KUBERNETES_PORT_443_TCP_ADDR ' +
    'REDIS_SERVICE_HOST REDIS_PORT REDIS_PORT_6379_TCP_PROTO DNS_SERVICE_PORT DNS_PORT_53_UDP SSH_AUTH_SOCK ' +
    'SALLYPORT_URL SALLYPORT_API_KEY http_proxy https_proxy no_proxy ALL_PROXY XDG_RUNTIME_DIR _'
  expect(misspelt(...others.split(' ').filter(name => !/_proxy$/.test(name)))).toEqual([])
  expect(loadConfig({ http_proxy: 'http://one:1', no_proxy: 'x.example' }).unread.misspelt).toEqual([])
  const known = Object.keys(variables.shape).filter(name => name !== 'BOOTSTRAP_PASSWORD')
  expect(loadConfig(Object.fromEntries(known.map(name => [name, ' ']))).unread.misspelt).toEqual([])
})

test('an empty value counts as unset, and at most twenty are listed', () => {
  expect(loadConfig({ PUBLIC_DOMIAN: '' }).unread.misspelt).toEqual([])
  expect(misspelt(...Array.from({ length: 50 }, (_, at) => `PLATFORM_KEY_${at}`))).toHaveLength(20)
})

test('keys under the names of the providers’ own clients, unless the platform’s is set', () => {
  const keys = { OPENAI_API_KEY: 'sk-x', GEMINI_API_KEY: 'x', ANTHROPIC_API_KEY: ' ' }
  expect(loadConfig(keys).unread.clientKeys).toEqual([
    { name: 'OPENAI_API_KEY', instead: 'PLATFORM_OPENAI_API_KEY' },
    { name: 'GEMINI_API_KEY', instead: 'PLATFORM_GOOGLE_API_KEY' },
  ])
  const both = { ...keys, PLATFORM_OPENAI_API_KEY: 'sk-y', PLATFORM_GOOGLE_API_KEY: 'y' }
  expect(loadConfig(both).unread.clientKeys).toEqual([])
})
