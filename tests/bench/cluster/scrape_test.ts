import { expect } from "expect";
import { Scrape } from "./scrape.ts";

Deno.test("Scrape adds up the series of one metric that have the labels", () => {
  const scrape = new Scrape(
    '# HELP a A\na{x="1",y="p"} 2\na{x="2",y="p"} 3\na_more{x="1"} 100\nb 7\n',
  );
  expect([
    scrape.sum("a"),
    scrape.sum("a", 'x="2"'),
    scrape.sum("a", 'y="p"', 'x="1"'),
    scrape.sum("b"),
    scrape.sum("c"),
  ])
    .toEqual([5, 3, 2, 7, 0]);
});
