// Images that are sent with the message, as data in the request.
import { useId } from 'react'
import { Button } from '../../ui/button.tsx'

export interface Image {
  name: string
  /** A `data:` URL. */
  url: string
}

interface ImagesFieldProps {
  images: readonly Image[]
  onImages: (images: readonly Image[]) => void
}

export function ImagesField({ images, onImages }: ImagesFieldProps) {
  const id = useId()
  const add = async (input: HTMLInputElement): Promise<void> => {
    const read = await Promise.all([...(input.files ?? [])].map(readImage))
    // The same file can be chosen again.
    input.value = ''
    onImages([...images, ...read])
  }
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        Images
      </label>
      <input
        id={id}
        type="file"
        accept="image/png, image/jpeg, image/webp, image/gif"
        multiple
        aria-describedby={`${id}-hint`}
        className="text-sm text-soft file:mr-3 file:min-h-8 file:rounded-md file:border file:border-line file:bg-page file:px-3 file:text-ink"
        onChange={event => void add(event.currentTarget)}
      />
      <p id={`${id}-hint`} className="text-sm text-soft">
        For models that read images. They are sent with the next message.
      </p>
      {images.length > 0 && (
        <ul className="flex flex-col gap-1">
          {images.map(({ name, url }, index) => (
            <li key={url} className="flex flex-wrap items-center gap-2">
              <bdi className="text-sm">{name}</bdi>
              <Button aria-label={`Remove ${name}`} onClick={() => onImages(images.filter((_, at) => at !== index))}>
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

async function readImage(file: File): Promise<Image> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const reader = new FileReader()
  reader.onload = () => resolve(String(reader.result))
  reader.onerror = () => reject(reader.error)
  reader.readAsDataURL(file)
  return { name: file.name, url: await promise }
}
