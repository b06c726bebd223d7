// Chooses the models that may answer a call, each with its provider, address and key. domain/conversation/ has the
// rules: choose-model.ts for one model, order-targets.ts for a project's routes.

import type { ChosenModel } from '../../domain/conversation/choose-model.ts'
import type { ModelSurface } from '../../domain/conversation/model-surfaces.ts'
import type { Operation } from '../../domain/conversation/operations.ts'
import { findNamedTarget, orderTargets } from '../../domain/conversation/order-targets.ts'
import { Refusal } from '../../domain/errors.ts'
import type { RetryRule, Routes } from '../../domain/settings/routes.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import type { InferenceSettings } from '../dependencies.ts'
import { drawFor, type RoutedCaller } from './draw-target.ts'
import type { ModelRegistry } from './model-registry.ts'
import { type NoModel, refusalOf, unusableModel } from './refuse-model.ts'
import type { TenantKeyFinder, TenantKeys } from './tenant-keys.ts'
import { type OpenedModel, TenantModels } from './tenant-models.ts'

/** A model that may answer, and how its provider is called. */
export interface ChosenTarget extends OpenedModel {
  /** Absent without routes. */
  route?: RouteRules
}

/** What the project's routes say about the attempts at one target. */
export interface RouteRules {
  timeoutMs: number | null
  firstTokenTimeoutMs: number | null
  retry: RetryRule | null
}

type ModelSettings = Pick<Settings, 'provider_model' | 'allowed_models' | 'client_model' | 'routes'>

export interface WantedModel {
  /** As the client wrote it; null if the request names no model. */
  requested: string | null
  endpoint: { modelSurface: ModelSurface; operation: Pick<Operation, 'needsNamedModel'> }
  caller: RoutedCaller
}

/** The first target is asked, the others in this order if it fails. Without routes there is one. */
export type ChosenTargets = readonly [ChosenTarget, ...ChosenTarget[]]

export interface TargetChooser {
  /** Null if the models or the tenant's keys have to be read first. */
  chooseKnown(settings: ModelSettings, wanted: WantedModel): ChosenTargets | null
  choose(settings: ModelSettings, wanted: WantedModel): Promise<ChosenTargets>
}

export function createTargetChooser(
  registry: ModelRegistry,
  tenantKeys: TenantKeyFinder,
  settings: InferenceSettings,
  now: () => number,
): TargetChooser {
  const chooseBy = (keys: TenantKeys, project: ModelSettings, wanted: WantedModel): ChosenTargets => {
    const models = new TenantModels({ registry, keys, settings, now: now() })
    return project.routes === null
      ? [chooseOne(models, project, wanted)]
      : chooseByRoutes(models, project, project.routes, wanted)
  }
  return {
    chooseKnown(project, wanted) {
      const keys = registry.whenLoaded() === null ? tenantKeys.find(wanted.caller.tenantId) : null
      return keys && chooseBy(keys, project, wanted)
    },
    async choose(project, wanted) {
      await registry.whenLoaded()
      return chooseBy(await tenantKeys.get(wanted.caller.tenantId), project, wanted)
    },
  }
}

function chooseOne(models: TenantModels, project: ModelSettings, wanted: WantedModel): ChosenTarget {
  const { provider_model: configured, allowed_models: allowed, client_model: clientModel } = project
  const { modelSurface: surface, operation } = wanted.endpoint
  const { needsNamedModel } = operation
  const { requested } = wanted
  const choice = models.choose({ configured, requested, allowed, surface, needsNamedModel, clientModel })
  if (choice.chosen) return models.open(choice)
  throw refusalOf(choice, provider =>
    models.listServing(surface, provider).filter(id => allowed?.includes(id) !== false),
  )
}

/** Targets that have no key, or cannot do what the request asks for, are skipped. */
function chooseByRoutes(
  models: TenantModels,
  { allowed_models: allowed, client_model: clientModel }: ModelSettings,
  routes: Routes,
  { requested, endpoint, caller }: WantedModel,
): ChosenTargets {
  const { modelSurface: surface, operation } = endpoint
  const { needsNamedModel } = operation
  const order = { requested, allowed, needsNamedModel, draw: drawFor(caller) }
  if (clientModel === 'exact' && requested !== null && findNamedTarget(routes, order) === null) {
    throw unusableModel(requested)
  }
  const chosen: ChosenTarget[] = []
  const problems: (NoModel | Refusal)[] = []
  for (const { model, timeout_ms } of orderTargets(routes, order)) {
    const choice = models.choose({
      configured: model,
      requested: model,
      allowed: null,
      surface,
      needsNamedModel,
      clientModel: 'prefer',
    })
    const opened = choice.chosen ? tryOpen(models, choice) : choice
    if (opened instanceof Refusal || 'reason' in opened) problems.push(opened)
    else chosen.push({ ...opened, route: rulesOf(routes, timeout_ms) })
  }
  const [first, ...others] = chosen
  if (first !== undefined) return [first, ...others]
  const named = routes.targets.map(({ model }) => model).filter(id => allowed?.includes(id) !== false)
  throw refusalOfRoutes(problems, requested, () => models.listServing(surface, named))
}

function tryOpen(models: TenantModels, choice: Extract<ChosenModel, { chosen: true }>): OpenedModel | Refusal {
  try {
    return models.open(choice)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/** What an operator can mend is reported before a model that was never meant for this endpoint. */
function refusalOfRoutes(
  problems: readonly (NoModel | Refusal)[],
  requested: string | null,
  listServing: () => string[],
): Refusal {
  const isNotServed = (one: NoModel | Refusal) => 'reason' in one && one.reason === 'model_not_supported'
  const problem = problems.find(one => !isNotServed(one)) ?? problems[0]
  if (problem instanceof Refusal) return problem
  const none = { chosen: false, reason: 'model_not_supported', provider: '', model: requested } as const
  return refusalOf(problem ?? none, listServing)
}

function rulesOf({ retry, first_token_timeout_ms }: Routes, timeoutMs: number | undefined): RouteRules {
  return { timeoutMs: timeoutMs ?? null, firstTokenTimeoutMs: first_token_timeout_ms ?? null, retry: retry ?? null }
}
