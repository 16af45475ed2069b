import type { ReviewedContent } from '../../interface/generated/types.ts'
import { useOrganization } from '../organization.ts'
import { Media } from '../posts/preview.tsx'
import { describeSuperpower } from '../posts/superpower.ts'
import { formatInstant } from '../times.ts'
import { posts as postWords, difference as words } from '../words.ts'
import { compareContents, compareTexts, type Piece, type Shown } from './difference.ts'

/** Compares a post with its version at the last decision, field by field. */
export function DifferenceView({ before, now }: { before: ReviewedContent; now: ReviewedContent }) {
  const { timeZone } = useOrganization()
  const { media, altText, aiGenerated, time, channels } = compareContents(before, now)
  const timeOf = (instant: string | undefined): string =>
    instant === undefined ? postWords.noTime : formatInstant(instant, timeZone)
  const sentencesOf = ({ mediumsData }: ReviewedContent, id: string): string[] =>
    describeSuperpower(mediumsData[id]?.superpower ?? {}, timeZone).flatMap(({ text, then = [] }) => [text, ...then])
  return (
    <dl class="difference">
      {time && (
        <Row name={words.time}>
          <Change before={timeOf(time.before)} now={timeOf(time.now)} />
        </Row>
      )}
      {media && (
        <Row name={postWords.editor.media}>
          <Pictures {...media} />
        </Row>
      )}
      {altText && (
        <Row name={postWords.altText}>
          <Texts {...altText} />
        </Row>
      )}
      {aiGenerated && (
        <Row name={postWords.editor.media}>
          <Mark kind={aiGenerated.now ? 'new' : 'gone'} text={postWords.aiGenerated} />
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
            <Row key={`${id} text`} name={words.textOn({ channel: name })}>
              <Texts {...caption} />
            </Row>
          )}
          {superpower && (
            <Row key={`${id} superpower`} name={words.superpowerOn({ channel: name })}>
              <Lists before={sentencesOf(before, id)} now={sentencesOf(now, id)} />
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

function Mark({ kind, text }: Pick<Piece, 'kind' | 'text'>) {
  if (kind === 'same') return <>{text}</>
  const Tag = kind === 'gone' ? 'del' : 'ins'
  return (
    <Tag>
      <span class="hidden">{kind === 'gone' ? words.gone : words.put} </span>
      {text}
    </Tag>
  )
}

const Change = ({ before, now }: { before: string; now: string }) => (
  <>
    <Mark kind="gone" text={before} /> → <Mark kind="new" text={now} />
  </>
)

/** A text with its deletions and insertions. */
const Texts = ({ before, now }: { before: string; now: string }) => (
  <span class="pieces">
    {compareTexts(before, now).map((piece, index) => (
      <Mark key={index} {...piece} />
    ))}
  </span>
)

/** The previous and the current media side by side, with a link where one cannot be shown. */
const Pictures = ({ before, now }: { before: Shown; now: Shown }) => (
  <div class="difference-pictures">
    {([before, now] as const).map(({ media, mediaType, altText }, index) => (
      <figure key={index}>
        <figcaption>{index === 0 ? words.before : words.now}</figcaption>
        {media === undefined ? (
          <p class="quiet">{words.none}</p>
        ) : (
          <>
            <Media
              url={media}
              type={mediaType}
              alt={altText ?? (index === 0 ? words.pictureBefore : words.pictureNow)}
            />
            <Mark kind={index === 0 ? 'gone' : 'new'} text={media} />
          </>
        )}
      </figure>
    ))}
  </div>
)

/** Lists the removed and the added sentences, or says that something changed if no sentence describes it. */
function Lists({ before, now }: { before: readonly string[]; now: readonly string[] }) {
  const pieces: Piece[] = [
    ...before.filter((text) => !now.includes(text)).map((text) => ({ kind: 'gone' as const, text })),
    ...now.filter((text) => !before.includes(text)).map((text) => ({ kind: 'new' as const, text })),
  ]
  if (pieces.length === 0) return <>{words.otherwise}</>
  return (
    <ul>
      {pieces.map((piece) => (
        <li key={`${piece.kind} ${piece.text}`}>
          <Mark {...piece} />
        </li>
      ))}
    </ul>
  )
}
