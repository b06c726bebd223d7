// The prompts of a project: messages with variables, which requests name in place of writing them out. This file has
// their form and limits; check-template.ts checks what is stored, fill-template.ts puts a request's values in.

import type { JsonObject } from '../json-object.ts'

export const templateRoles = ['system', 'developer', 'user', 'assistant'] as const
export const variableTypes = ['string', 'number', 'enum'] as const

export const promptLimits = {
  /** Of a project. */
  prompts: 100,
  messages: 50,
  contentCharacters: 32_000,
  variables: 50,
  enumValues: 100,
  enumCharacters: 256,
  textCharacters: 100_000,
  defaultTextCharacters: 10_000,
  tools: 64,
  maxTokens: 1_000_000,
  /** Of one prompt as JSON. */
  templateCharacters: 65_536,
  /** Of all prompts of a project as JSON: they are in the document that every gateway keeps. */
  allCharacters: 1_000_000,
  /** Of the messages with the values: a variable may stand in them many times. */
  filledCharacters: 400_000,
} as const

export interface TemplateMessage {
  role: (typeof templateRoles)[number]
  content: string
}

export type VariableRule =
  | { type: 'string'; max_length: number; required: boolean }
  | { type: 'number'; required: boolean }
  | { type: 'enum'; values: string[]; required: boolean }

/** In the form of chat completions; each surface writes them in its own. */
export interface TemplateParams {
  temperature?: number
  max_tokens?: number
  response_format?: JsonObject
  tools?: JsonObject[]
}

export interface PromptTemplate {
  messages: TemplateMessage[]
  variables: Record<string, VariableRule>
  model: string | null
  params: TemplateParams
}

export interface NamedTemplate extends PromptTemplate {
  name: string
}

export const promptNameForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
export const variableNameForm = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/
const reference = /\{\{\s*([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}/

/** Texts and names of variables in turn; the first is a text. */
export function splitContent(content: string): string[] {
  return content.split(reference)
}

/** The names of the variables in a message, in order. */
export function variablesIn({ content }: TemplateMessage): string[] {
  return splitContent(content).filter((_, at) => at % 2 === 1)
}
