import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type ApiDocument, type Operation, operationsOf } from './document.ts'
import { Introduction } from './introduction.tsx'
import { OperationPage } from './operation.tsx'
import { type Credentials, readDocument, serviceUrl } from './try.ts'

const TITLES: Record<string, string> = {
  current: 'With a key: /v1',
  earlier: 'Earlier variant: /v0',
  api: 'Everything else: /api',
}

const titleOf = (tag: string): string => TITLES[tag] ?? tag

/** The whole page. The URL's fragment selects an operation; any other fragment shows the introduction. */
export function Reference() {
  const [document, setDocument] = useState<ApiDocument>()
  const [problem, setProblem] = useState('')
  useEffect(() => {
    readDocument().then(setDocument, (error: unknown) => setProblem(String(error)))
  }, [])
  if (problem !== '') return <p role="alert">The reference could not be loaded: {problem}. Load the page again.</p>
  if (document === undefined) return <output>Loading…</output>
  return <Loaded document={document} />
}

function Loaded({ document }: { document: ApiDocument }) {
  const operations = useMemo(() => operationsOf(document), [document])
  const shownId = useFragment()
  const shown = operations.find(({ operationId }) => operationId === shownId)
  // Credentials are kept only in memory, so a reload forgets them.
  const [credentials, setCredentials] = useState<Credentials>({ key: '', secret: '', token: '' })
  const heading = useRef<HTMLHeadingElement>(null)
  // A layout effect runs before the paint. A later effect could take the focus from a field that is already in use.
  useLayoutEffect(() => {
    window.document.title = shown === undefined ? 'Greenroom API' : `${shown.operationId} · Greenroom API`
    if (shown !== undefined) {
      scrollTo(0, 0)
      heading.current?.focus()
    }
  }, [shown])
  return (
    <>
      <button type="button" class="skip" onClick={() => heading.current?.focus()}>
        Skip to the operation
      </button>
      <header>
        <a class="brand" href="#how-to-call">
          Greenroom API
        </a>
        <span class="quiet">{document.info.version}</span>
        <a href={`${serviceUrl()}/openapi.json`}>openapi.json</a>
      </header>
      <div class="columns">
        <OperationList document={document} operations={operations} shownId={shownId} />
        <main>
          {shown === undefined ? (
            <Introduction document={document} heading={heading} />
          ) : (
            <OperationPage
              key={shown.operationId}
              operation={shown}
              document={document}
              heading={heading}
              credentials={credentials}
              onCredentials={setCredentials}
            />
          )}
        </main>
      </div>
    </>
  )
}

function OperationList({
  document,
  operations,
  shownId,
}: {
  document: ApiDocument
  operations: Operation[]
  shownId: string
}) {
  const [search, setSearch] = useState('')
  const words = search.toLowerCase().split(/\s+/)
  const found = operations.filter(({ operationId, summary, path, method }) => {
    const text = `${operationId} ${summary} ${method} ${path}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  return (
    <nav aria-label="Operations">
      <p>
        <a href="#how-to-call">How to call</a>
      </p>
      <label>
        Find an operation
        <input type="search" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
      </label>
      <output class="quiet">
        {found.length === operations.length ? `${found.length} operations` : `${found.length} found`}
      </output>
      {document.tags.map(({ name }) => {
        const listed = found.filter(({ tag }) => tag === name)
        if (listed.length === 0) return null
        const isOpen = search !== '' || listed.some(({ operationId }) => operationId === shownId) || name === 'current'
        return (
          <details key={name} open={isOpen}>
            <summary>{titleOf(name)}</summary>
            <ul>
              {listed.map(({ operationId, method, path }) => (
                <li key={operationId}>
                  <a href={`#${operationId}`} aria-current={operationId === shownId ? 'page' : undefined}>
                    <span class="name">{operationId}</span>
                    <span class="quiet">
                      {method} {path}
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          </details>
        )
      })}
    </nav>
  )
}

function useFragment(): string {
  const read = (): string => decodeURIComponent(location.hash.slice(1))
  const [fragment, setFragment] = useState(read)
  useEffect(() => {
    const onChange = (): void => setFragment(read())
    addEventListener('hashchange', onChange)
    return () => removeEventListener('hashchange', onChange)
  }, [])
  return fragment
}
