import type { QueryClient } from '@tanstack/preact-query'
import type { FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { OwnOrganization } from '../interface/generated/types.ts'
import { isReplaced } from './api.ts'
import { Button, Loading, Note, Page } from './ui.tsx'
import { common, shell as words } from './words.ts'

const TRIES = 3
const RETRY_MS = 700

/** `readFirst` loads what the page shows first, so that everything is drawn at once. */
interface PageComponent<Props> extends FunctionComponent<Props> {
  readFirst?: (client: QueryClient, organization: OwnOrganization, query: Record<string, string>) => Promise<unknown>
}

type State = 'loading' | 'there' | 'failed' | 'replaced'

/**
 * A component that loads when it is first shown. Failed loads are retried; if the file is gone because the service was
 * upgraded, the page says so. The rest of the page stays. Set `isPart` if the surrounding page already has a heading.
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
