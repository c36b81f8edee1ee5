/** A stranger's words inside a sentence of this page. */

/** What looks like a double mark, or like two. */
const DOUBLE = '"\u02BA\u02DD\u02EE\u02F5\u02F6\u05F4\u201C-\u201F\u2033\u2034\u2036\u2037\u2057\u275D\u275E\u2760\u3003\u301D-\u301F\uFF02\u{1F676}-\u{1F678}';
/** What looks like a single one: an apostrophe, if a letter follows that is none of these. */
const SINGLE = "'`\u00B4\u02B9\u02BB-\u02BF\u02C8\u02CA-\u02CC\u0374\u0384\u055A\u05F3\u07F4\u07F5\u1FBD\u1FBF\u1FEF\u1FFD\u1FFE\u2018-\u201B\u2032\u2035\u275B\u275C\u275F\uA78B\uA78C\uFF07\uFF40";

/** Double marks wherever they stand, and single ones that are no apostrophe inside a word. */
const MARKS = new RegExp(`[${DOUBLE}]|[${SINGLE}](?!(?![${SINGLE}${DOUBLE}])\\p{L})`, "gu");

/** So much of a stranger's text anybody reads. */
const LONGEST = 500;

/** A text between quotation marks, cut for display. What could pass for the mark at its end is shown as what it is, such as ⟨U+0022⟩. */
export function quoted(text: string, marks = "''"): string {
  return marks[0] + cutOff(text).replace(MARKS, (mark) => `⟨U+${mark.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`) + marks[1];
}

/** The beginning of a long text, and that it goes on: no half of a character, and no work for what is left out. */
export function cutOff(text: string, most = LONGEST): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
