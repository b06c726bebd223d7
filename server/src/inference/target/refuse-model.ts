// The errors of requests for which no model can be chosen.

import type { ChosenModel } from '../../domain/conversation/choose-model.ts'
import { Refusal } from '../../domain/errors.ts'
import { providerNotConfiguredMessage } from '../../domain/provider.ts'

export type NoModel = Exclude<ChosenModel, { chosen: true }>

export function refusalOf(choice: NoModel, listServing: (provider: string) => string[]): Refusal {
  switch (choice.reason) {
    case 'model_not_configured':
      return new Refusal('model_not_configured')
    case 'provider_not_configured':
      return new Refusal('model_without_key', {
        message: providerNotConfiguredMessage(choice.provider),
        param: 'model',
      })
    case 'model_not_found':
      return unusableModel(choice.model)
    case 'model_not_supported': {
      const message = notSupportedMessage(choice.model, listServing(choice.provider))
      return new Refusal('model_not_supported', { message, param: 'model' })
    }
  }
}

const maxListed = 40
const maxNameLength = 100

/** For a model that the request names, and that the project has not or may not use. */
export function unusableModel(named: string): Refusal {
  const message = `The model ${named.slice(0, maxNameLength)} does not exist or this project may not use it`
  return new Refusal('model_not_found', { message, param: 'model' })
}

function notSupportedMessage(model: string | null, serving: readonly string[]): string {
  const problem =
    model === null ? 'model is required' : `The model ${model.slice(0, maxNameLength)} does not serve this endpoint`
  if (serving.length === 0) return `${problem}; this project has no model that does`
  const rest = serving.length - maxListed
  const names = serving.slice(0, maxListed)
  return `${problem}. Models that do: ${names.join(', ')}${rest > 0 ? ` and ${rest} more, see GET /v1/models` : ''}`
}
