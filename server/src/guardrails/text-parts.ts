// Joins many small parts into a long text, some thousand characters at a time: a string of a million parts would be
// flattened at once by its first reader.

const blockLength = 8_192

export class TextParts {
  length = 0
  readonly #blocks: string[] = []
  #parts: string[] = []
  #loose = 0

  add(part: string): void {
    this.#parts.push(part)
    this.length += part.length
    this.#loose += part.length
    if (this.#loose >= blockLength) this.#join()
  }

  whole(): string {
    this.#join()
    return this.#blocks.join('')
  }

  #join(): void {
    this.#blocks.push(this.#parts.join(''))
    this.#parts = []
    this.#loose = 0
  }
}
