// The filters in use, each with a button that removes it.
import { Button } from '../../ui/button.tsx'
import { Chip } from './chip.tsx'
import { filterNames, type RequestFilter } from './filter.ts'
import { useRequestSearch } from './search.ts'

type Name = keyof RequestFilter

export function FilterChips() {
  const { filter, change, clearFilter } = useRequestSearch()
  const used = (Object.keys(filterNames) as Name[]).flatMap(name => {
    const value = filter[name]
    if (value === undefined) return []
    return [
      name === 'error' && value === 'any'
        ? { name, title: 'With an error', value: '' }
        : { name, title: filterNames[name], value: String(value) },
    ]
  })
  if (used.length === 0) return null
  return (
    <div className="flex flex-wrap items-center gap-2">
      <ul aria-label="Filters in use" className="contents">
        {used.map(({ name, title, value }) => (
          <Chip
            key={name}
            removeLabel={`Remove the filter ${filterNames[name]}`}
            remove={() => void change({ [name]: undefined })}
          >
            <span className="shrink-0 text-soft">{title}</span>
            {value !== '' && <bdi className="min-w-0 truncate font-medium">{value}</bdi>}
          </Chip>
        ))}
      </ul>
      <Button onClick={() => void clearFilter()}>Clear the filters</Button>
    </div>
  )
}
