// A list that is searched and read a page at a time. Search and page are part of the address.
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import { Button } from './button.tsx'
import { controlClass } from './fields.tsx'
import { Loaded } from './states.tsx'
import { type Column, Table } from './table.tsx'
import { Pager } from './tables/pager.tsx'

export interface ListSearch {
  q?: string
  cursor?: string
}

interface SearchedListProps<Row> {
  /** What is searched for, as the label of the field. */
  label: string
  caption: string
  query: UseQueryResult<{ data: Row[]; next_cursor: string | null }>
  search: ListSearch
  show: (next: ListSearch) => void
  columns: Column<Row>[]
  keyOf: (row: Row) => string
  /** In place of rows, of a search or of the whole list. */
  empty: (isSearch: boolean) => ReactNode
  /** Below the list. */
  below?: (rows: Row[]) => ReactNode
}

export function SearchedList<Row>({ label, caption, query, search, show, ...list }: SearchedListProps<Row>) {
  const { q = '', cursor } = search
  const go = (next: string | undefined): void =>
    show({ ...(q === '' ? {} : { q }), ...(next === undefined ? {} : { cursor: next }) })
  return (
    <>
      <SearchForm label={label} q={q} search={wanted => show(wanted === '' ? {} : { q: wanted })} />
      <Loaded query={query} what={caption.toLowerCase()}>
        {({ data, next_cursor }) => (
          <>
            <Table
              caption={caption}
              columns={list.columns}
              rows={data}
              keyOf={list.keyOf}
              empty={list.empty(q !== '')}
            />
            <Pager cursor={cursor} next={next_cursor} go={go} />
            {list.below?.(data)}
          </>
        )}
      </Loaded>
    </>
  )
}

interface SearchFormProps {
  label: string
  /** What is searched for now. */
  q: string
  search: (q: string) => void
}

function SearchForm({ label, q, search }: SearchFormProps) {
  const id = useId()
  return (
    <search>
      {/* A new search that came with the address replaces what is in the field. */}
      <form
        key={q}
        className="flex max-w-xl flex-wrap items-end gap-3"
        onSubmit={event => {
          event.preventDefault()
          search(String(new FormData(event.currentTarget).get('q') ?? ''))
        }}
      >
        <div className="flex min-w-48 grow flex-col gap-1">
          <label htmlFor={id} className="text-sm font-medium">
            {label}
          </label>
          <input id={id} name="q" type="search" dir="auto" maxLength={255} defaultValue={q} className={controlClass} />
        </div>
        <Button type="submit">Search</Button>
        {q !== '' && <Button onClick={() => search('')}>Show all</Button>}
      </form>
    </search>
  )
}
