import type { MediaCheck } from '../../interface/generated/types.ts'
import { isWebUrl } from '../navigation.ts'
import { smallAddressOf } from '../small-picture.tsx'
import { Note } from '../ui.tsx'
import { useRead } from '../use-read.ts'
import { outsideMedia as words } from '../words.ts'

interface MediaNoteProps {
  url: string | undefined
  /** The result stored with the post, by an approval or by the publisher. */
  check: MediaCheck | undefined
  /** The post's version; a new one triggers a new check. */
  version: string
  /** Checks the media before a decision; undefined if no decision is pending. */
  ask?: (() => Promise<MediaCheck>) | undefined
}

/** Says whether external media is still what was approved. Uploads cannot change. */
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
