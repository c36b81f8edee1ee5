/** A stranger's words inside a sentence of this page. */

/** Double marks wherever they stand, and single ones that are no apostrophe inside a word. */
const MARKS = /["“”„‟″〃〝-〟＂]|['‘’‛′＇](?!\p{L})/gu;

/** A text between quotation marks. What could pass for the mark at its end is shown as what it is, such as ⟨U+0022⟩. */
export function quoted(text: string, marks = "''"): string {
  return marks[0] + text.replace(MARKS, (mark) => `⟨U+${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`) + marks[1];
}
