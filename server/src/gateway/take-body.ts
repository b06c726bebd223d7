// Reads and checks the body of a request that costs tokens, and estimates how many. Kill switches, suspensions and
// restrictions of the end user are reported before errors in the body.

import type { NamedPrompt } from '../call/admitted-call.ts'
import type { InferencePort } from '../call/inference-port.ts'
import type { Verified } from '../domain/caller.ts'
import { rulesBesidePrompt } from '../domain/clients/own-part.ts'
import type { EstimatedRequest } from '../domain/conversation/inference-request.ts'
import { Refusal } from '../domain/errors.ts'
import type { PlaneRequest } from '../http/exchange.ts'
import { type RequestBody, readBody } from '../http/read-body.ts'
import type { FindVersion } from '../surfaces/named-prompt.ts'
import { type OpenedBody, openBody } from '../surfaces/open-body.ts'
import type { Endpoint } from '../surfaces/surface.ts'
import type { ConfigCache } from './config-cache.ts'
import type { KillSwitchState } from './kill-switches.ts'
import type { ProjectConfig } from './project-config.ts'
import { type RestrictionState, refuseIfRestricted } from './restrictions.ts'
import type { GatewayRoute } from './routes.ts'

/** All null for routes without a body; one that costs no tokens has no estimate. */
export interface BodyAndEstimate {
  body: RequestBody | null
  estimated: EstimatedRequest | null
  prompt: NamedPrompt | null
}

type TakeBody = (
  route: GatewayRoute,
  verified: Verified,
  request: PlaneRequest,
  config: ProjectConfig,
) => BodyAndEstimate | Promise<BodyAndEstimate>

interface TakeBodyDependencies {
  switches: KillSwitchState
  configs: ConfigCache
  restrictions: RestrictionState
  port: Pick<InferencePort, 'checkRequest'>
  findVersion: FindVersion
  maxBytes: number
  now: () => number
}

const noBody: BodyAndEstimate = { body: null, estimated: null, prompt: null }

export function createTakeBody(dependencies: TakeBodyDependencies): TakeBody {
  const { switches, configs, restrictions, port, findVersion, maxBytes, now } = dependencies
  const limits = { maxBytes }

  async function refuseBody(error: unknown, { project }: ProjectConfig, verified: Verified): Promise<never> {
    const [{ status }, restricted] = await Promise.all([
      configs.getWithin(project, 0),
      restrictions.getWithin(project, 0),
      switches.refuseIfOn(project, 0),
    ])
    if (status === 'suspended') throw new Refusal('traffic_suspended', { cause: error })
    refuseIfRestricted(restricted, verified)
    throw error
  }

  function open(
    body: RequestBody,
    endpoint: Endpoint | null,
    verified: Verified,
    config: ProjectConfig,
  ): BodyAndEstimate | Promise<BodyAndEstimate> {
    if (endpoint === null) return { body, estimated: null, prompt: null }
    const { settings } = config.resolve(verified.tier, now)
    const take = ({ estimated, prompt }: OpenedBody): BodyAndEstimate => {
      port.checkRequest(estimated, verified, prompt === null ? settings : rulesBesidePrompt(settings))
      return { body, estimated, prompt }
    }
    const opened = openBody(endpoint, body, { live: config.live, settings }, findVersion)
    return opened instanceof Promise ? opened.then(take) : take(opened)
  }

  return (route, verified, request, config) => {
    const { endpoint, hasBody } = route
    if (!hasBody) return noBody
    try {
      const body = readBody(request, limits, endpoint?.operation.bodyKind)
      const taken =
        body instanceof Promise
          ? body.then(late => open(late, endpoint, verified, config))
          : open(body, endpoint, verified, config)
      return taken instanceof Promise ? taken.catch(error => refuseBody(error, config, verified)) : taken
    } catch (error) {
      return refuseBody(error, config, verified)
    }
  }
}
