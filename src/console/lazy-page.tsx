import type { QueryClient } from '@tanstack/preact-query'
import type { FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { OwnOrganization } from '../interface/generated/types.ts'
import { isReplaced } from './api.ts'
import { Button, Loading, Note, Page } from './ui.tsx'
import { common, shell as words } from './words.ts'

const TRIES = 3
const RETRY_MS = 700

/** `readFirst` reads what a page shows first, so that all of it is drawn at once. */
interface PageComponent<Props> extends FunctionComponent<Props> {
  readFirst?: (client: QueryClient, organization: OwnOrganization, query: Record<string, string>) => Promise<unknown>
}

type State = 'loading' | 'there' | 'failed' | 'replaced'

/**
 * A component whose file is loaded when it is first shown. A file that does not come is tried again; where it is gone
 * because the service was upgraded, the page says so. What is on the rest of the page stays. `isPart`: the page around it
 * has a heading already.
 */
export function lazyPage<Props extends object>(
  load: () => Promise<{ default: PageComponent<Props> }>,
  { isPart = false } = {},
) {
  let Loaded: PageComponent<Props> | undefined
  const preload = async (): Promise<PageComponent<Props>> => {
    const page = (await load()).default
    Loaded = page
    return page
  }
  const tryToLoad = async (): Promise<State> => {
    for (let tries = 1; ; tries += 1) {
      try {
        await preload()
        return 'there'
      } catch {
        if (await isReplaced()) return 'replaced'
        if (tries === TRIES) return 'failed'
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
  }

  function LazyPage(props: Props) {
    const [state, setState] = useState<State>(Loaded === undefined ? 'loading' : 'there')
    useEffect(() => {
      if (state === 'loading') void tryToLoad().then(setState)
    }, [state])
    if (state === 'there' && Loaded !== undefined) return <Loaded {...props} />
    if (state === 'loading') return <Loading lines={8} />
    const note = (
      <Note kind="warn" role="alert">
        <p>{state === 'replaced' ? words.newVersion : words.notLoaded}</p>
        <div class="actions">
          {state === 'replaced' ? (
            <Button kind="primary" onClick={() => location.reload()}>
              {words.reload}
            </Button>
          ) : (
            <Button onClick={() => setState('loading')}>{common.tryAgain}</Button>
          )}
        </div>
      </Note>
    )
    if (isPart) return note
    return <Page title={state === 'replaced' ? words.newVersionTitle : words.notLoadedTitle}>{note}</Page>
  }
  return Object.assign(LazyPage, { preload })
}
