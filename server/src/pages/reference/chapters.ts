// The chapters of the API reference, by what a reader wants to do, and the paths that belong to each.

export interface Chapter {
  /** Part of its address: `/docs/api/{name}`. */
  name: string
  title: string
  about: string
  api: 'data plane' | 'management'
  /** Matches the paths without a leading `/auth`. A path belongs to the first chapter that matches. */
  paths: RegExp
}

const project = '^/v1/projects/\\{projectId\\}'
const tenant = '^/v1/tenants/\\{tenantId\\}'

export const chapters: readonly Chapter[] = [
  {
    name: 'answers',
    title: 'Chat, responses, messages, embeddings',
    about: 'Requests for answers of models, by the token of an end user, in the formats of OpenAI and Anthropic.',
    api: 'data plane',
    paths: /^\/v1\/(?:chat|completions|responses|messages|embeddings|models|rerank|audio|images|moderations)/,
  },
  {
    name: 'conversations',
    title: 'Threads, usage and feedback of an end user',
    about: 'What an end user’s own token may read: conversations, the usage so far. And what users think of answers.',
    api: 'data plane',
    paths: /^\/v1\/(?:threads|billing|feedback)/,
  },
  {
    name: 'tokens',
    title: 'Tokens of end users',
    about: 'Mint tokens on your server, give them to users without an account, and look into one that is rejected.',
    api: 'management',
    paths: new RegExp(
      `^/v1/auth/|^/\\.well-known/jwks|${project}/(?:tokens|inspect-token|identity-provider|attestation)`,
    ),
  },
  {
    name: 'api-keys',
    title: 'API keys',
    about: 'The keys with which your server mints tokens.',
    api: 'management',
    paths: new RegExp(`${project}/api-keys|^/v1/api-keys`),
  },
  {
    name: 'settings',
    title: 'Project settings and deployments',
    about: 'Drafts of settings, deploying them, and going back to an earlier deployment.',
    api: 'management',
    paths: new RegExp(`${project}/(?:settings(?!/model)|draft|file-lease)|^/schemas/`),
  },
  {
    name: 'models',
    title: 'Models and the playground',
    about: 'Which model answers, and trying one before it is deployed.',
    api: 'management',
    paths: new RegExp(`${project}/(?:settings/model|playground)|${tenant}/providers/models`),
  },
  {
    name: 'prompts',
    title: 'Prompts',
    about: 'Prompts that the project keeps, in versions.',
    api: 'management',
    paths: new RegExp(`${project}/prompts`),
  },
  {
    name: 'tiers',
    title: 'Tiers',
    about: 'Limits and settings for a group of end users.',
    api: 'management',
    paths: new RegExp(`${project}/tiers`),
  },
  {
    name: 'guardrails',
    title: 'Guardrails',
    about: 'Try the guardrails on a text, and read what they found.',
    api: 'management',
    paths: new RegExp(`(?:${project}|${tenant})/guardrails`),
  },
  {
    name: 'end-users',
    title: 'End users',
    about: 'Find, block and forget end users, and revoke their tokens.',
    api: 'management',
    paths: new RegExp(`${project}/(?:users(?!/\\{uid\\}/budgets)|memory)`),
  },
  {
    name: 'requests',
    title: 'Requests, usage and diagnostics',
    about: 'The request log, sums of it, and why requests fail.',
    api: 'management',
    paths: new RegExp(`${project}/(?:requests|usage|activity|diagnostics)`),
  },
  {
    name: 'costs',
    title: 'Prices, budgets and meters',
    about: 'What models cost, what may be spent, and what your billing is sent.',
    api: 'management',
    paths: new RegExp(`${tenant}/(?:prices|budgets|meter)|${project}/(?:budgets|users/\\{uid\\}/budgets)`),
  },
  {
    name: 'alerts',
    title: 'Alerts, webhooks and events',
    about: 'Be told when something happens.',
    api: 'management',
    paths: new RegExp(`${project}/alerts|${tenant}/(?:webhooks|events)`),
  },
  {
    name: 'providers',
    title: 'Provider keys, custom providers and clouds',
    about: 'Store the keys of providers, and connect Azure OpenAI, Amazon Bedrock, Vertex AI and your own servers.',
    api: 'management',
    paths: new RegExp(`${tenant}/providers|^/v1/admin/providers`),
  },
  {
    name: 'projects',
    title: 'Projects',
    about: 'Create, rename, suspend and delete projects.',
    api: 'management',
    paths: new RegExp(`${project}|${tenant}/projects`),
  },
  {
    name: 'audit',
    title: 'Audit',
    about: 'Who changed what, and proof that no entry is missing.',
    api: 'management',
    paths: new RegExp(`${tenant}/audit|^/v1/admin/audit`),
  },
  {
    name: 'members',
    title: 'Members, roles and service accounts',
    about: 'Who may do what in a tenant: people, and programs.',
    api: 'management',
    paths: new RegExp(`${tenant}/(?:members|invitations|roles|service-accounts)|^/v1/invitations`),
  },
  {
    name: 'single-sign-on',
    title: 'Single sign-on and sign-in rules',
    about: 'Sign in by the identity provider of a tenant.',
    api: 'management',
    paths: new RegExp(`${tenant}/(?:sso|sign-in-rules)|^/v1/sso`),
  },
  {
    name: 'tenants',
    title: 'Tenants',
    about: 'Create, rename, export and delete tenants.',
    api: 'management',
    paths: /^\/v1\/tenants/,
  },
  {
    name: 'sessions',
    title: 'Sign-in and sessions',
    about: 'Sign in with a password, a passkey or a second factor, or sign in a command line.',
    api: 'management',
    paths: /^\/v1\/(?:sessions|device|password-resets)/,
  },
  {
    name: 'account',
    title: 'Your account',
    about: 'Your password, passkeys, authenticator app and open sessions.',
    api: 'management',
    paths: /^\/v1\/users\/current/,
  },
  {
    name: 'operators',
    title: 'Operators',
    about: 'For whoever runs the installation: tenants, plans, kill switches, operators and their credentials.',
    api: 'management',
    paths: /^\/v1\/admin/,
  },
  {
    name: 'installation',
    title: 'The installation and its documents',
    about: 'What this installation is, and the rest of its API.',
    api: 'management',
    paths: /./,
  },
]

export function chapterOf(path: string): Chapter | undefined {
  const plain = path.replace(/^\/auth(?=\/)/, '')
  return chapters.find(({ paths }) => paths.test(plain))
}
