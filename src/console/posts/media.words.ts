import { common } from '../words.ts'

const { number } = common

const mib = (size: number): string => `${number(Math.ceil(size))} MiB`

/** These texts are about files: what is done to one before it is sent, and its crop. */
export const mediaWords = {
  madeJpeg: 'It was made a JPEG picture, which every channel takes. What the camera noted of the place is gone.',
  madeSmaller: 'It was made smaller, because a channel takes no file of its size.',
  unreadable: (name = ''): string =>
    `This browser cannot read the file${name} as a picture or a video. Save it as JPEG, PNG, MP4 or QuickTime, and upload that.`,
  gone: 'The file could not be read. Reload the page, and choose it again.',
  videoTooLarge: (is: number, max: number): string =>
    `This video has ${mib(is)}, and a chosen channel takes ${mib(max)} at most. Export it smaller: in 1080p it is mostly enough.`,
  preparing: (name: string): string => `${name}: being prepared…`,
  altTextHint: 'For people who do not see it. It goes out with the picture on Facebook and Instagram.',
  aiGeneratedHint: 'Instagram shows “AI info” with the post, Facebook shows nothing.',
  fix: 'Make it a JPEG picture that fits',
  crop: 'Crop…',
  cropTitle: 'Crop the picture',
  cropped: 'The part that is left',
  shape: 'Shape',
  shapes: { portrait: 'Portrait, 4:5', square: 'Square, 1:1', wide: 'Wide, 1.91:1', whole: 'As it is' },
  zoom: 'Closer',
  across: 'From left to right',
  down: 'From top to bottom',
  cropHint: 'Drag the picture, or move the sliders. The file that you uploaded stays in the library.',
  cropSubmit: 'Use this part',
}
