// The setting `routes` as the texts of its controls, back, and in words.
import type { SettingsValues } from './fields.ts'
import { memberOf, textOf } from './number-values.ts'

type Routes = NonNullable<SettingsValues['routes']>

const retryCauses = ['connect', 'timeout', '429', '5xx'] as const

/** After what a target is retried, in the order in which screens list it. */
export const retryCauseNames: readonly (readonly [string, string])[] = [
  [retryCauses[0], 'No connection'],
  [retryCauses[1], 'A timeout'],
  [retryCauses[2], 'A rate limit of the provider (429)'],
  [retryCauses[3], 'A failure of the provider (5xx)'],
]

export const maxTargets = 10

export interface TargetTexts {
  model: string
  weight: string
  timeout_ms: string
}

export interface RouteTexts {
  strategy: string
  targets: TargetTexts[]
  /** Empty: as the API does without a rule. */
  attempts: string
  on: string[]
  first_token_timeout_ms: string
}

export const newTarget: TargetTexts = { model: '', weight: '', timeout_ms: '' }
export const newRoutes: RouteTexts = {
  strategy: '',
  targets: [newTarget],
  attempts: '',
  on: [...retryCauses],
  first_token_timeout_ms: '',
}

/** Equal routes give equal texts. */
export function toRouteTexts({ strategy, targets, retry, first_token_timeout_ms }: Routes): RouteTexts {
  const on = retry?.on
  return {
    strategy,
    targets: targets.map(({ model, weight, timeout_ms }) => ({
      model,
      weight: textOf(weight),
      timeout_ms: textOf(timeout_ms),
    })),
    attempts: textOf(retry?.attempts),
    on: retryCauses.filter(cause => on === undefined || on.includes(cause)),
    first_token_timeout_ms: textOf(first_token_timeout_ms),
  }
}

/** The value to send, with what is no number as it was typed. */
export function fromRouteTexts(texts: RouteTexts): unknown {
  const { attempts } = memberOf('attempts', texts.attempts)
  // Without `on`, a cause that is added to the API counts, too.
  const on = texts.on.length === retryCauses.length ? {} : { on: texts.on }
  return {
    targets: texts.targets.map(({ model, weight, timeout_ms }) => ({
      model,
      ...memberOf('weight', weight),
      ...memberOf('timeout_ms', timeout_ms),
    })),
    strategy: texts.strategy,
    ...(attempts !== undefined && { retry: { attempts, ...on } }),
    ...memberOf('first_token_timeout_ms', texts.first_token_timeout_ms),
  }
}
