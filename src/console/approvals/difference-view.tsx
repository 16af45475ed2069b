import type { ReviewedContent } from '../../interface/posts.ts'
import type { Superpower } from '../../interface/superpowers.ts'
import { describeSuperpower } from '../posts/superpower.ts'
import { postWords } from '../posts/words.ts'
import { formatInstant } from '../times.ts'
import { compareContents, compareTexts, type Difference, type Piece } from './difference.ts'
import { differenceWords as words } from './words.ts'

interface DifferenceViewProps {
  before: ReviewedContent
  now: ReviewedContent
  timeZone: string
}

/** Field by field, in words: what a post said when it was last decided about, and what it says now. */
export function DifferenceView({ before, now, timeZone }: DifferenceViewProps) {
  const { media, time, channels }: Difference = compareContents(before, now)
  const timeOf = (instant: string | undefined): string =>
    instant === undefined ? postWords.noTime : formatInstant(instant, timeZone)
  const sentencesOf = (superpower: Superpower | undefined): string[] =>
    superpower == null
      ? []
      : describeSuperpower(superpower, (ms) => formatInstant(ms, timeZone)).flatMap(({ text, then = [] }) => [
          text,
          ...then,
        ])
  return (
    <dl class="difference">
      {time && (
        <Row name={words.time}>
          <Change before={timeOf(time.before)} now={timeOf(time.now)} />
        </Row>
      )}
      {media && (
        <Row name={words.media}>
          <Change before={media.before ?? words.none} now={media.now ?? words.none} />
        </Row>
      )}
      {channels.map(({ id, name, kind, caption, superpower }) => (
        <>
          {kind !== 'changed' && (
            <Row key={id} name={name}>
              {kind === 'added' ? words.added : words.removed}
            </Row>
          )}
          {caption && (
            <Row key={`${id} text`} name={words.textOn(name)}>
              <Pieces pieces={compareTexts(caption.before, caption.now)} />
            </Row>
          )}
          {superpower && (
            <Row key={`${id} superpower`} name={words.superpowerOn(name)}>
              <Lists
                before={sentencesOf(before.mediumsData[id]?.superpower)}
                now={sentencesOf(now.mediumsData[id]?.superpower)}
              />
            </Row>
          )}
        </>
      ))}
    </dl>
  )
}

function Row({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>
        <bdi>{name}</bdi>
      </dt>
      <dd dir="auto">{children}</dd>
    </div>
  )
}

const Gone = ({ text }: { text: string }) => (
  <del>
    <span class="hidden">{words.gone} </span>
    {text}
  </del>
)

const New = ({ text }: { text: string }) => (
  <ins>
    <span class="hidden">{words.put} </span>
    {text}
  </ins>
)

const Change = ({ before, now }: { before: string; now: string }) => (
  <>
    <Gone text={before} /> → <New text={now} />
  </>
)

const Pieces = ({ pieces }: { pieces: readonly Piece[] }) => (
  <span class="pieces">
    {pieces.map(({ kind, text }, index) =>
      kind === 'same' ? text : kind === 'gone' ? <Gone key={index} text={text} /> : <New key={index} text={text} />,
    )}
  </span>
)

/** Sentences that are gone and that are new; what has no sentence of its own is said to be otherwise. */
function Lists({ before, now }: { before: readonly string[]; now: readonly string[] }) {
  const gone = before.filter((text) => !now.includes(text))
  const added = now.filter((text) => !before.includes(text))
  if (gone.length + added.length === 0) return <>{words.otherwise}</>
  return (
    <ul>
      {gone.map((text) => (
        <li key={`- ${text}`}>
          <Gone text={text} />
        </li>
      ))}
      {added.map((text) => (
        <li key={`+ ${text}`}>
          <New text={text} />
        </li>
      ))}
    </ul>
  )
}
