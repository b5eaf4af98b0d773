"""English words that stand before names of people, and that are never part of one."""

from __future__ import annotations

from typing import Final

TITLES: Final = frozenset(
    "mr mrs ms miss mx mister madam madame dr doctor prof professor sir dame lady lord rev reverend"
    " father sister judge"
    " justice officer detective sergeant sgt captain capt lieutenant lt colonel col herr frau monsieur"
    " señor señora"
    " attorney nurse senator coach uncle aunt auntie grandma grandpa inspector".split()
)
INTRODUCTIONS: Final = frozenset(
    "who is|who was"
    "|name|name is|my name's|my name is|name was|named|called|call me|i am|i'm|im|this is|dear|hi|hello"
    "|hey|attn|attention"
    "|cc|bcc|spoke with|spoke to|speak to|speak with|talk to|talked to|talked with|met with|chatted with"
    "|ask|ask for|asked for"
    "|signed|signed by|according to|approved by|reported by|written by|drafted by|created by|assigned to"
    "|submitted by"
    "|requested by|reviewed by|owned by|sent by|posted by|closed by|opened by|prepared by|issued by"
    "|issued to|handled by"
    "|escalated to|forwarded to|forward to|invited|invite|thank you|behalf of|belongs to|belong to"
    "|married to|escalate to"
    "|reach out to|add|remind|notify|ping|told|tell|was told by|contact|contacted|yours|addressed to|care"
    " of|c/o|met|saw"
    "|loop in|looped in|looping in|taken out by|hired|interviewed|emailed|e-mailed|phoned"
    "|texted|paged|sued|complainant"
    "|claimant|appellant|respondent|petitioner|lodger|operator|insured|lives with"
    "|living with|worked with|works with"
    "|as per|thanks to|whatsapp|on behalf of|raised by|logged by|picked up by|witnessed by|referred by"
    "|this to|it to|managed by|led by|supervised by|reports to|replaced by|covered by|between|invoice to"
    "|refund to"
    "|transfer to|payment to|payable to|by the name of|known as|aka|greeting|user name|full name".split("|")
)
"""Behind these a name is likely, even one that nobody knows."""
HEADERS: Final = frozenset("to from by cc bcc reply-to".split())
"""With a colon behind them, as in a mail."""
JOINING: Final = frozenset(
    "and with by from to email phone message via for of both or but can could will did does is was"
    " has".split()
)
"""Behind these a name is likely if it is known to be one."""
ROLES: Final = frozenset(
    "patient employee customer client tenant landlord landlady manager deputy director supervisor"
    " colleague coworker boss"
    " wife husband son daughter mother father mom mum dad brother sister partner spouse fiance friend"
    " neighbor neighbour"
    " beneficiary guarantor witness plaintiff defendant lawyer attorney nurse doctor teacher student"
    " tutor professor author"
    " editor reviewer assignee assigned reporter owner approver requester requestor applicant candidate"
    " passenger guest"
    " visitor driver rider agent representative rep user member contact recipient sender payee payer"
    " holder cardholder"
    " borrower lender buyer seller heirs heir child parent guardian cousin nephew niece uncle aunt"
    " grandmother grandfather"
    " officer engineer developer analyst consultant accountant secretary assistant coach chair chairman"
    " ceo cto cfo founder"
    " complainant claimant appellant respondent petitioner operator insured lodger roommate"
    " flatmate housemate trustee"
    " executor mortgagor mortgagee lessee lessor licensee trainee intern apprentice chef"
    " pilot nanny carer caregiver"
    " surgeon midwife physiotherapist pharmacist dentist therapist counsellor counselor"
    " plumber electrician fitter"
    " courier receptionist caretaker concierge cashier auditor broker adviser advisor"
    " boyfriend girlfriend colleague"
    " president judge signatory attendee participant speaker interviewer technician record username".split()
)
"""Who somebody is; the name follows."""
SIGNATURES: Final = frozenset(
    "regards sincerely thanks cheers best wishes truly faithfully respectfully cordially you again".split()
)
"""Ends of what a letter closes with."""
THINGS: Final = frozenset(
    "street st avenue ave road rd lane drive boulevard blvd court place square terrace parkway highway"
    " way close crescent"
    " gardens grove university college school hospital clinic bank airport station stadium arena museum"
    " library church"
    " cathedral bridge tower building center centre hall park lake river mountain mount valley bay beach"
    " island islands"
    " county city town state states inc ltd llc corp corporation company co group holdings foundation"
    " institute association"
    " society council committee commission agency department ministry office bureau trust fund partners"
    " associates limited"
    " plc gmbh award awards prize act law bill theorem effect method algorithm test scale index rule"
    " model models process"
    " distribution function equation syndrome disease disorder cup league series game games show film"
    " movie album song book"
    " books times post journal magazine press news radio channel network tv studios pictures records"
    " software systems"
    " technologies technology labs lab cloud server studio code api sdk os pro max mini air plus ultra"
    " edition version day"
    " week month year season night eve morning festival conference summit meeting support service"
    " services team teams desk"
    " sales customer customers manager policy policies terms portal account accounts settings page pages"
    " app application"
    " protocol language framework library project programme program plan pipeline database table data"
    " dataset house hotel"
    " restaurant cafe bar pizza coffee tea wine beer chicken sauce salad republic kingdom empire dynasty"
    " war battle treaty"
    " revolution movement party government parliament congress senate union north south east west"
    " northern southern eastern"
    " western international national federal royal productions entertainment bench".split()
)
"""Who has one of these for a family name is a street, a firm, a law, or a product."""
SAYS: Final = frozenset(
    "said says told tells asked asks wrote writes replied replies answered mentioned"
    " explained complained confirmed"
    " thinks thought wants wanted claims claimed insists insisted suggested agreed noticed reckons believes"
    " apologised apologized emailed phoned texted rang called signed approved resigned"
    " promised refused".split()
)
"""What people do, and few things: the one who does it stands right before."""
DOES: Final = frozenset("reported reports noted notes requested submitted needs needed filed".split())
"""What people and things do."""
PLACES: Final = frozenset(
    "america asia africa austin berlin bristol brooklyn cairo camden carolina charlotte chelsea chester"
    " china cleveland columbus cordoba cuba dakota dallas denver destin devon dublin florence florida"
    " france geneva georgia germany houston hudson india ireland israel jersey jordan kenya kent kerman"
    " lanka lima lincoln london madison malta mexico milan milano memphis missouri montana nevada oman"
    " orlando paris petra phoenix roma rome savannah siena sydney tennessee texas torino trinidad troy"
    " verona vienna virginia washington york zurich delhi dominica columbia europa adelaide alberta"
    " lourdes santiago alexandria odessa persia lorraine sienna cisco tesla nokia canon lexus genesis".split()
)
"""Given names of which more is said as places or firms than as people."""
RELATIVES: Final = frozenset(
    "wife husband son daughter mother father mom mum dad brother sister partner boyfriend girlfriend friend"
    " colleague coworker boss roommate flatmate neighbor neighbour cousin nephew niece uncle aunt grandson"
    " granddaughter fiance fiancee".split()
)
"""My ...: a name may follow in small letters."""
MAY_BE_NAMES: Final = frozenset("may june april august will".split())
"""Of NO_NAMES, those that people are called."""
IN_TIME: Final = frozenset(
    "in on of since until till by last next this every during before after through late early mid".split()
)
"""Before a month."""
FIRMS: Final = frozenset(
    "john deere|morgan stanley|wells fargo|charles schwab|jp morgan|goldman sachs|merrill lynch|eli lilly"
    "|estee lauder|mary kay|jack daniels|jack daniel's|jim beam|johnnie walker|dr pepper"
    "|papa johns|papa john's"
    "|sara lee|betty crocker|uncle ben's|aunt jemima|mercedes benz|mercedes-benz|fannie mae"
    "|freddie mac|sallie mae"
    "|morphy richards|rolls royce|aston martin|alfa romeo|hewlett packard|booz allen"
    "|arthur andersen|edward jones"
    "|raymond james|john hancock|jenny craig|victoria's secret|trader joe's|kate spade"
    "|michael kors|marc jacobs"
    "|vera bradley|steve madden|calvin klein|ralph lauren|tommy hilfiger|hugo boss"
    "|louis vuitton|harley davidson"
    "|harley-davidson|levi strauss|oscar mayer|jimmy dean|marie callender|tim hortons|carl's jr|jo malone"
    "|paul mitchell|johns hopkins|captain morgan|dom perignon|john lewis|fisher price"
    "|christian dior|coco chanel"
    "|giorgio armani|stella artois|philip morris|bang olufsen|franklin templeton|charles river|thomas cook"
    "|laura ashley|ted baker|jimmy choo|yves rocher|elizabeth arden|bobbi brown|russell hobbs|george foreman"
    "|ben & jerry's|tom tom|max mara|guy laroche|eddie bauer|lane bryant|ann taylor"
    "|banana republic|ethan allen"
    "|sherwin williams|benjamin moore|stanley black|thomson reuters|dow jones"
    "|standard chartered|lloyds banking"
    "|uber eats|jack wolfskin|helly hansen|bath & body|nina ricci|hunter douglas"
    "|herman miller|harry winston".split("|")
)
"""Firms and brands that are called like somebody."""
NO_NAMES: Final = frozenset(
    "the a an this that these those it its he she we they you i my your our their his her if in on at of"
    " for from to by"
    " with and or but not no yes as is are was were be been will would can could should may might must do"
    " does did has have"
    " had how what when where why who which whose there here then than so too also all any some each"
    " every both few more"
    " most other such only own same just now new old first last next please thanks thank dear hi hello"
    " hey sir madam team"
    " support customer client user admin administrator everyone error errors warning note notes see use"
    " using set get add"
    " open close click press select enter type run start stop check make sure try ask contact call email"
    " send submit monday"
    " tuesday wednesday thursday friday saturday sunday january february march april june july august"
    " september october"
    " november december mon tue wed thu fri sat sun jan feb mar apr jun jul aug sep sept oct nov dec"
    " english chinese french"
    " german spanish italian japanese korean russian portuguese arabic hindi british american european"
    " asian african"
    " australian canadian indian mexican dutch swedish greek turkish microsoft google apple amazon azure"
    " aws windows linux"
    " android ios chrome firefox safari edge python java javascript typescript docker kubernetes redis"
    " kafka postgres"
    " postgresql mysql mongodb oracle nginx apache github gitlab slack zoom excel word outlook teams"
    " sharepoint visual"
    " regards sincerely best kind warm yours question answer title subject section chapter figure table"
    " appendix page part"
    " step item order invoice ticket case version model product service policy account password username"
    " login number name"
    " date time address phone mobile fax mona hong san santa los las el st saint fort port mount lake"
    " cape puerto new".split()
)
"""Nobody's name begins with one of these."""
PARTICLES: Final = frozenset(
    "van von der den de la los del di da dos du le al el bin ibn ben ter ten zu".split()
)
FAMILY_FIRST: Final = frozenset("nguyen tran pham hoang huynh phan".split())
"""Families whose name stands before the given one in Latin letters too."""
