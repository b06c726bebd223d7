// What a surface says of prompts: where its requests name one, and how the prompt's messages and params are written in
// its format. `open-body.ts` writes them into a request.

import type { OwnForm } from '../domain/clients/own-part.ts'
import type { JsonObject } from '../domain/json-object.ts'
import type { FilledTemplate } from '../domain/prompts/fill-template.ts'
import type { PromptTemplate } from '../domain/prompts/template.ts'
import type { Settings } from '../domain/settings/settings.ts'
import type { NamingPlace } from './named-prompt.ts'

export interface PromptForm extends OwnForm, NamingPlace {
  list: 'messages' | 'input'
  /** The names of the members that lead there. */
  steps: readonly string[]
  /** `own` is the request without what is left out of it. */
  write(own: JsonObject, prompt: FilledPrompt): WrittenPrompt
}

export interface FilledPrompt extends Pick<PromptTemplate, 'model' | 'params'>, Pick<FilledTemplate, 'messages'> {
  settings: Pick<Settings, 'max_output_tokens'>
}

export interface WrittenPrompt {
  /** The messages that precede the request's own in its list. */
  messages: JsonObject[]
  /** Other members of the request; undefined removes one. What the request says itself is not replaced. */
  members: JsonObject
}

/** Those of the members that the request does not have itself. */
export function absentIn(own: JsonObject, members: JsonObject): JsonObject {
  const isAbsent = (value: unknown) => value === undefined || value === null
  return Object.fromEntries(Object.entries(members).filter(([name, value]) => !isAbsent(value) && isAbsent(own[name])))
}
