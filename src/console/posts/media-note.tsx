import type { MediaCheck } from '../../interface/generated/types.ts'
import { isWebUrl } from '../navigation.ts'
import { smallAddressOf } from '../small-picture.tsx'
import { Note } from '../ui.tsx'
import { useRead } from '../use-read.ts'
import { outsideMedia as words } from '../words.ts'

interface MediaNoteProps {
  url: string | undefined
  /** The result that is stored with the post, of an approval or of the publisher's fetch. */
  check: MediaCheck | undefined
  /** Names the version of the post, so that another one is looked at again. */
  version: string
  /** Looks at the media for one who decides; undefined where nobody decides. */
  ask?: (() => Promise<MediaCheck>) | undefined
}

/** Says of media at an address outside whether what is approved is what is published. An upload needs no word. */
export function MediaNote({ url = '', check, version, ask }: MediaNoteProps) {
  const isOutside = isWebUrl(url) && smallAddressOf(url) === undefined
  const isOpen = isOutside && ask !== undefined && (check === undefined || check.problem === 'CHANGED')
  const { data, error } = useRead({
    queryKey: ['media-check', version, url],
    queryFn: () => ask!(),
    enabled: isOpen,
    retry: false,
    staleTime: 60_000,
  })
  if (!isOutside) return null
  return (
    <>
      {check?.problem === 'CHANGED' && (
        <Note kind="warn">
          <p>{words.changed}</p>
        </Note>
      )}
      {isOpen ? (
        <Outcome check={data} hasFailed={error !== null} isOpen />
      ) : (
        <Outcome check={check} hasFailed={false} />
      )}
    </>
  )
}

function Outcome({
  check,
  hasFailed,
  isOpen = false,
}: {
  check: MediaCheck | undefined
  hasFailed: boolean
  isOpen?: boolean
}) {
  const problem = check?.problem
  if (problem !== undefined) {
    return problem === 'CHANGED' ? null : (
      <Note kind="warn">
        <p>{words.notFixed({ problem: words.problems[problem] })}</p>
      </Note>
    )
  }
  if (check?.fixed) return <p class="quiet small-text">{isOpen ? words.willBeFixed : words.fixed}</p>
  if (hasFailed) {
    return (
      <Note kind="warn">
        <p>{words.unknown}</p>
      </Note>
    )
  }
  return isOpen ? <p class="quiet small-text">{words.checking}</p> : null
}
