// The ids of responses: made here, or by a provider that answers in the format of responses.

export const responseIdForm = /^resp_[A-Za-z0-9_-]{1,128}$/

export function isResponseId(id: string): boolean {
  return responseIdForm.test(id)
}
