export { cutOff, quoted } from "../engine/quoted.ts";
