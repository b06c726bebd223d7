// What rejected a request or made it fail, in a sentence for each code, with the way to the setting that decides it.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { projectQuery } from '../../api/queries.ts'

interface Place {
  to:
    | 'settings'
    | 'guardrails'
    | 'tiers'
    | 'prompts'
    | 'end-users'
    | 'identity-provider'
    | 'general'
    | TenantPlace
    | OperatorPlace
  /** A field of the settings. */
  hash?: string
  title: string
}
type TenantPlace = 'prices' | 'provider-keys' | 'budgets'
type OperatorPlace = '/app/operator/kill-switches'

const limits: Place = { to: 'settings', hash: 'limits', title: 'Limits' }
const budgets: Place = { to: 'settings', hash: 'budgets', title: 'Budgets of the project' }
const tiers: Place = { to: 'tiers', title: 'Tiers' }
const users: Place = { to: 'end-users', title: 'End users' }
const model: Place = { to: 'settings', hash: 'model', title: 'Model' }
const routes: Place = { to: 'settings', hash: 'routing', title: 'Routes' }
const clients: Place = { to: 'settings', hash: 'clients', title: 'What clients may send' }
const guardrails: Place = { to: 'guardrails', title: 'Guardrails' }
const prompts: Place = { to: 'prompts', title: 'Prompts' }
const identity: Place = { to: 'identity-provider', title: 'Identity provider' }
const keys: Place = { to: 'provider-keys', title: 'Provider keys' }

const providerFailed = 'The provider failed. Another model can answer then, if the project has routes.'

const explanations: Record<string, [sentence: string, ...places: Place[]]> = {
  rate_limited: [
    'A limit was reached: requests a minute or tokens a day, of the project or of the end user. A tier may set its own.',
    limits,
    tiers,
  ],
  insufficient_quota: [
    'A budget in dollars had too little left for the request: of the tenant, the project, the tier or the end user.',
    budgets,
    { to: 'budgets', title: 'Budgets of the tenant' },
    tiers,
    users,
  ],
  model_not_priced: [
    'A budget in dollars is in force, and the model has no price, so what the request costs cannot be bounded.',
    { to: 'prices', title: 'Set the price' },
    budgets,
  ],
  service_disabled: [
    'A kill switch was on, for the project, its tenant or the whole installation; or the project was suspended during ' +
      'the request. Only an operator can turn off a kill switch.',
    { to: '/app/operator/kill-switches', title: 'Kill switches, for operators' },
  ],
  traffic_suspended: [
    'The project is suspended, so all its requests are rejected.',
    { to: 'general', title: 'Resume the project' },
  ],
  user_blocked: ['The end user is blocked.', users],
  token_revoked: ['The end user’s tokens were revoked. A token that was issued later is accepted.', users],
  unknown_tier: ['The token names a tier that the project does not have, and the project rejects such tokens.', tiers],
  pii_blocked: ['PII Shield found personal data of a type that it blocks.', guardrails],
  content_blocked: ['Sentinel found a prompt injection, a jailbreak or a term of the blocklist.', guardrails],
  guardrail_unavailable: ['A guardrail could not run, and the project lets nothing pass unchecked.', guardrails],
  guarded_text_too_large: ['The text is larger than the 2 MiB that guardrails check.', guardrails],
  client_system_message_rejected: ['The project accepts no system messages from clients.', clients],
  client_tools_rejected: ['The project accepts no tools from clients, or not these.', clients],
  client_field_rejected: ['The project accepts only some fields from clients beside a prompt.', clients],
  prompt_required: ['The project accepts only requests that name one of its prompts.', clients, prompts],
  prompt_not_found: ['No deployed prompt has the name or version that the request asks for.', prompts],
  model_not_configured: ['The project has no model that may answer the request.', model, clients],
  model_without_key: ['The model’s provider has no key.', keys],
  provider_not_configured: ['The model’s provider has no key.', keys],
  provider_key_unreadable: ['The stored key of the provider cannot be decrypted. Store it again.', keys],
  model_not_supported: ['The model does not answer this endpoint.', model, routes],
  unsupported_tool: ['The model’s provider does not take a tool of the request.', model],
  provider_auth_error: ['The provider rejected its key.', keys],
  quota_exceeded: ['The account at the provider has nothing left. Its limits are set at the provider.', keys],
  provider_rate_limited: ['The provider’s own rate limit was reached.', routes],
  model_not_found: ['The provider does not know the model.', model],
  context_length_exceeded: ['The request is longer than the model’s context.', model],
  content_filter: ['The provider’s own content filter rejected the request.'],
  provider_invalid_request: ['The provider rejected the request as invalid.'],
  provider_unavailable: [providerFailed, routes],
  provider_timeout: [
    'The provider did not answer in time. Another model can answer then, if it is among the routes.',
    routes,
  ],
  bearer_required: ['The request has no token: the client must send one as a bearer token.'],
  invalid_token: [
    'The token is invalid: its signature, issuer or audience is not one that the project accepts.',
    identity,
  ],
  token_expired: ['The token had expired. The client must fetch a new one.'],
  wrong_project_token: ['The token belongs to another project. The client must use the address of its own.'],
  api_key_as_token: [
    'The client sent an API key in place of a token. It must send a token that was minted with the key.',
  ],
  client_gone: ['The client closed the connection before the answer was complete.'],
}

interface ErrorExplanationProps {
  projectId: string
  code: string
  /** What is known of this request, in place of the sentence for its code. */
  instead?: ReactNode
}

/** Nothing for a code that says all there is. */
export function ErrorExplanation({ projectId, code, instead }: ErrorExplanationProps): ReactNode {
  const found = Object.hasOwn(explanations, code) ? explanations[code] : undefined
  if (found === undefined) return null
  const [sentence, ...places] = found
  return (
    <>
      {instead ?? sentence}{' '}
      <span className="inline-flex flex-wrap gap-x-4">
        {places.map(place => (
          <PlaceLink key={place.title} projectId={projectId} place={place} />
        ))}
      </span>
    </>
  )
}

const isOfTenant = (to: Place['to']): to is TenantPlace => to === 'prices' || to === 'provider-keys' || to === 'budgets'

function PlaceLink({ projectId, place: { to, hash, title } }: { projectId: string; place: Place }) {
  const { data: project } = useQuery(projectQuery(projectId))
  if (to === '/app/operator/kill-switches') return <Link to={to}>{title}</Link>
  if (!isOfTenant(to)) {
    return (
      <Link to={`/app/projects/$projectId/${to}`} params={{ projectId }} {...(hash !== undefined && { hash })}>
        {title}
      </Link>
    )
  }
  if (project === undefined) return null
  return (
    <Link to={`/app/tenants/$tenantId/${to}`} params={{ tenantId: project.tenant_id }}>
      {title}
    </Link>
  )
}
