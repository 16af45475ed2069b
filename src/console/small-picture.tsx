import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { SMALL_ENDING } from '../interface/small-picture.ts'
import { isUploadGone } from './api.ts'
import { isWebUrl } from './navigation.ts'
import { useRead } from './use-read.ts'
import './small-picture.css'

/** The address of the small picture of a file that was uploaded to this server; undefined for one that is elsewhere. */
export const smallAddressOf = (url: string): string | undefined =>
  /\/media\/[\w-]+\/[\w-]+\.\w+$/.test(url) && isWebUrl(url) && new URL(url).origin === location.origin
    ? url + SMALL_ENDING
    : undefined

/** True once the service has said that it has no such upload any more; it is asked where `isAsked`. */
export const useIsGone = (url: string, isAsked: boolean): boolean =>
  useRead({
    queryKey: ['gone', url],
    queryFn: () => isUploadGone(url),
    enabled: isAsked && smallAddressOf(url) !== undefined,
    retry: false,
  }).data === true

interface SmallPictureProps {
  url: string
  isVideo: boolean
  class: string
  /** The longer of its sides on the screen. */
  pixels: number
  /** Lies over the poster of a video, and stands alone where there is none. */
  sign: ComponentChildren
  /** Stands in for a picture that does not come. */
  none?: ComponentChildren
}

/**
 * The picture or video of a list, small: read when it comes into sight, and kept by the browser. The service sends the image
 * itself for one without a small picture. Nobody decides by it: it says nothing that the text beside it does not.
 */
export function SmallPicture({ url, isVideo, class: name, pixels, sign, none = null }: SmallPictureProps) {
  const [failed, setFailed] = useState<string>()
  const src = smallAddressOf(url) ?? (isVideo ? undefined : url)
  const picture = src !== undefined && failed !== src && (
    <img
      class={isVideo ? '' : name}
      src={src}
      alt=""
      width={pixels}
      height={pixels}
      loading="lazy"
      decoding="async"
      draggable={false}
      referrerpolicy="no-referrer"
      onError={() => setFailed(src)}
    />
  )
  if (!isVideo) return picture || none
  return (
    <span class={`poster ${name}`}>
      {picture}
      {sign}
    </span>
  )
}

/** The poster of a video; undefined while that is being looked for, null where there is none. */
export function usePoster(url: string): string | null | undefined {
  const address = smallAddressOf(url)
  const [found, setFound] = useState<{ address: string; poster: string | null }>()
  useEffect(() => {
    if (address === undefined) return
    const image = new Image()
    image.onload = () => setFound({ address, poster: address })
    image.onerror = () => setFound({ address, poster: null })
    image.src = address
    return () => {
      image.onload = null
      image.onerror = null
    }
  }, [address])
  if (address === undefined) return null
  return found?.address === address ? found.poster : undefined
}
